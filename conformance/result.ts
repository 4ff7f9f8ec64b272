/** What one recorded case says about renga. */
export interface CaseResult {
  readonly id: string;
  readonly verdict: 'agree' | 'disagree' | 'unsupported';
  readonly expected?: unknown;
  readonly actual?: unknown;
  /** Why it is unsupported; of a case that agrees, what of it was not compared. */
  readonly reason?: string;
}
