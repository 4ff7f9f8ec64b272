export { Killed, type LambdaInvoker } from './conductor.ts';
export { type Diagnostic, type Parsed, parseMachine } from './definition.ts';
export { type DiskJournalOptions, diskJournal } from './disk-journal.ts';
export { type Change, type Journal, memoryJournal } from './journal.ts';
export { type StatusChange, StepFunctions, type StepFunctionsOptions } from './step-functions.ts';
