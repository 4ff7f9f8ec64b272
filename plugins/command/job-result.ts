/** From how a job ended to what renga is told of it. */

import { existsSync } from 'node:fs';
import type { PluginResult } from '../contract.ts';
import type { Ending, JobDirectory, ResultRecord } from './job-directory.ts';
import { lastLines } from './log-text.ts';
import { readOutputs } from './outputs.ts';

export function resultOf(directory: JobDirectory, { run, ending }: ResultRecord): PluginResult {
  if (ending.kind === 'exited' && ending.code === 0) {
    if (existsSync(directory.forgotten))
      return { status: 'success', outputs: {}, message: 'Its outputs were removed.' };
    const read = readOutputs(directory.output(run));
    return 'problem' in read ? failed(read.problem) : { status: 'success', outputs: { ...read.outputs } };
  }
  const log = ending.kind === 'not-run' ? '' : lastLines(directory.log);
  return failed(log === '' ? sentenceOf(ending) : `${sentenceOf(ending)} The log ends:\n${log}`);
}

export function failed(message: string): PluginResult {
  return { status: 'error', outputs: {}, message };
}

function sentenceOf(ending: Ending): string {
  switch (ending.kind) {
    case 'exited':
      return `The command ended with exit code ${ending.code}.`;
    case 'signalled':
      return `The command was ended by the signal ${ending.signal}.`;
    case 'timed-out':
      return `The command ran over its timeout of ${ending.seconds} s and was ended.`;
    case 'stopped':
      return 'The command was stopped.';
    case 'not-run':
      return ending.reason;
  }
}
