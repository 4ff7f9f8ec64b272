/** What renga asks of a deploy script, read once from its environment, and how the script answers. */
import { appendFileSync } from 'node:fs';

export const job = {
  /** `plan`, `deploy` or `rollback`. */
  operation: required('RENGA_OPERATION'),
  service: required('RENGA_ARTIFACT_NAME'),
  /** The version that must be there afterwards, whether this goes forward or back. */
  version: required('RENGA_VERSION'),
  /** Directory with that version's files. */
  source: required('RENGA_ARTIFACT_SOURCE'),
  /** What is current now. Nothing when the service was never deployed. */
  previous: process.env.RENGA_PREVIOUS_VERSION,
  deploy: required('RENGA_DEPLOY'),
  /** The same when a deploy is run again, after a crash for instance. */
  token: required('RENGA_TOKEN'),
  /** Directory that the service's files are put into. */
  target: required('TARGET'),
};

export const goesBack = job.operation === 'rollback';

/** A first deploy that failed goes back to nothing. */
export const goesBackToNothing = goesBack && job.previous === undefined;

export function output(name, value) {
  appendFileSync(required('RENGA_OUTPUT'), `${name}=${value}\n`);
}

/** Ends the script: standard error is what a person reads beside the failed deploy. */
export function fail(message) {
  console.error(message);
  process.exit(1);
}

/** Healthy means healthy several times in a row, as a load balancer would have it. */
export async function checkedRepeatedly(check) {
  const times = Number(process.env.CHECKS ?? 3);
  const pause = Number(process.env.CHECK_EVERY_MS ?? 250);
  for (let time = 1; time <= times; time++) {
    const problem = await check();
    if (problem !== undefined) fail(`smoke check of ${job.service} ${job.version} failed: ${problem}`);
    console.log(`check ${time} of ${times}: ${job.service} ${job.version} is well`);
    if (time < times) await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

function required(name) {
  const value = process.env[name];
  if (value === undefined || value === '') fail(`${name} is not set: this script is run by renga, see release/*.yml`);
  return value;
}
