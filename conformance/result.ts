export type CaseResult = {
  id: string;
  verdict: 'agree' | 'disagree' | 'unsupported';
  expected?: unknown;
  actual?: unknown;
  reason?: string;
};
