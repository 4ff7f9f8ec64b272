export type { Diagnostic } from './checker.ts';
export { Killed, type LambdaInvoker } from './conductor.ts';
export { type Parsed, parseMachine } from './definition.ts';
export { type DiskJournalOptions, diskJournal } from './disk-journal.ts';
export { type Change, type Journal, memoryJournal } from './journal.ts';
export type { StatusChange } from './status-change.ts';
export { StepFunctions, type StepFunctionsOptions } from './step-functions.ts';
