/**
 * The functions that the state machines call and that events invoke: the contract between definitions, handlers,
 * infrastructure and the embedded engine. A definition names a function by ARN.
 */
export const FUNCTION_NAMES = [
  // the HTTP API
  'api',
  // the release's machine
  'record-deploys',
  'start-deploy',
  'plan-rollback',
  'start-rollback',
  'conclude-release',
  // the deploy's machine
  'await-time',
  'await-dependencies',
  'await-approval',
  'take-turn',
  'configure',
  'run-job',
  'stop-job',
  'read-result',
  'conclude-deploy',
  // events
  'wake',
  'external-event',
  'submit-event',
  'execution-ended',
  'sweep',
] as const;
export type FunctionName = (typeof FUNCTION_NAMES)[number];

/** ARN of each function; on AWS the ARN of a published version, so that a running execution keeps its contract. */
export type FunctionArns = Readonly<Record<FunctionName, string>>;

/**
 * Names of the errors that our functions answer tasks with. `Ended`: the deploy has reached a final state, which the
 * table tells; the machine goes to its end and retries nothing.
 */
export const ENDED = 'Renga.Ended';
/** A rollback did not succeed: no further one may start. */
export const ROLLBACK_STOPPED = 'Renga.RollbackStopped';
/** Something of the release still runs: conclude again later. */
export const STILL_RUNNING = 'Renga.StillRunning';
