/** How one case of recorded behaviour compares with ours. */
export interface CaseResult {
  readonly id: string;
  readonly verdict: 'agree' | 'disagree' | 'unsupported';
  readonly expected?: unknown;
  readonly actual?: unknown;
  /** Why it is unsupported, or what differs. */
  readonly reason?: string;
}
