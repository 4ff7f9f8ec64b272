export type { LambdaInvoker } from './conductor.ts';
export { parseMachine } from './definition.ts';
export { diskJournal } from './disk-journal.ts';
export { type Change, type Journal, memoryJournal } from './journal.ts';
export type { StatusChange } from './status-change.ts';
export { StepFunctions } from './step-functions.ts';
