/**
 * `npm run demo`: a shop of four services goes out. `npm run demo:broken`: its next release breaks, and goes back. Both
 * through the `renga` command and a server of their own; nothing else has to run.
 *
 * Exit code: that of the release (0, or 3 when it went back as it should); 1 when something was not as promised.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { ReleaseView } from '../api/contract.ts';
import { build } from './demo/build.ts';
import { DEPLOYED, onDisk } from './demo/disk.ts';
import { Narrator } from './demo/narrator.ts';
import { compared, type Proof, wentBack } from './demo/proof.ts';
import { Stage } from './demo/stage.ts';

const RELEASE = 'examples/shop/release.yml';
const BROKEN = 'examples/shop/release-broken.yml';
/** What `renga release submit` ends with when the release did not succeed. */
const UNSUCCESSFUL = 3;

const say = new Narrator();

function submit(stage: Stage, file: string): Promise<number> {
  return run(stage, ['release', 'submit', '-f', file]);
}

function run(stage: Stage, args: readonly string[]): Promise<number> {
  say.command(args);
  return stage.show(args);
}

async function demo(stage: Stage): Promise<number> {
  say.step('What the release will do', 'api and worker wait for db, web waits for api. Nothing is touched yet.');
  await run(stage, ['graph', '-f', RELEASE]);
  say.plain('');
  await run(stage, ['plan', '-f', RELEASE]);

  say.step(
    'It goes out',
    'The file is compiled into a state machine. Each deploy runs one of the scripts in examples/shop/deploy, which puts its files in place and checks them.',
  );
  const exit = await submit(stage, RELEASE);

  say.step('What is current now');
  await run(stage, ['inventory']);

  say.step('What is on disk', `${DEPLOYED}/api/current/config.json, with what db exported:`);
  say.verbatim(readFileSync(path.join(stage.folder, DEPLOYED, 'api', 'current', 'config.json'), 'utf8').trimEnd());

  whereToLook(stage, ReleaseView.parse(await stage.ask(['release', 'status', 'shop-1'])));
  say.plain('Next: npm run demo:broken, where a release of the same shop breaks at web and goes back.');
  return exit;
}

async function demoBroken(stage: Stage): Promise<number> {
  say.step('First, version 1 goes out');
  const first = await submit(stage, RELEASE);
  if (first !== 0) return first;
  const before = onDisk(stage.folder);

  say.step(
    'Then version 2, which breaks at web',
    'web 2.0.0-rc.1 was packed without a file that its page asks for; its own smoke check finds out. By then db, api and worker are at version 2 already (onFailure: rollback).',
  );
  const exit = await submit(stage, BROKEN);

  say.step('Why');
  await run(stage, ['why', 'shop-2-rc']);

  say.step('Is it really as before?');
  const release = ReleaseView.parse(await stage.ask(['release', 'status', 'shop-2-rc']));
  const files = compared(release, before, onDisk(stage.folder));
  const proofs: Proof[] = [await wentBack(release, (id) => stage.ask(['status', id])), files];
  for (const { good, text } of proofs) say.verdict(good, text);
  say.plain('');
  say.rows(files.rows);

  whereToLook(stage, release);
  if (exit !== UNSUCCESSFUL || proofs.some(({ good }) => !good)) {
    say.verdict(false, `not as promised (renga release submit ended with ${exit})`);
    return 1;
  }
  say.plain(`Exit code ${exit}: the release ended without success, as renga release submit said.`);
  return exit;
}

function whereToLook({ folder }: Stage, { id, deploys, execution }: ReleaseView): void {
  const last = deploys.at(-1)?.id ?? id;
  const { arn } = z.object({ arn: z.string() }).parse(execution);
  say.step(
    'Where to look',
    'The server of this demonstration ends now. To start it again over what it wrote, in this clone:',
  );
  say.verbatim(`  node dist/renga.js start --data ${folder}/.renga`);
  say.plain('\nand in another terminal:\n');
  say.verbatim(
    [
      `  node dist/renga.js why ${last} --data ${folder}/.renga`,
      `  node dist/renga.js log ${last} --data ${folder}/.renga`,
      '  export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local',
      '  export AWS_DEFAULT_REGION=local-1',
      '  aws --endpoint-url http://127.0.0.1:4080 stepfunctions get-execution-history \\',
      `    --execution-arn ${arn}`,
    ].join('\n'),
  );
  say.plain(`\nThe deployed files are in ${folder}/${DEPLOYED}; remove the folder when you have seen enough.\n`);
}

async function main(broken: boolean): Promise<number> {
  build();
  const stage = new Stage();
  // Whoever insists, by a second signal, does not hurry it: the server closes its files, and that has an end.
  const interrupted = () => void stage.close().finally(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupted);
  try {
    const url = await stage.open();
    say.title(
      broken ? 'renga: a release breaks at its last service, and goes back' : 'renga: a shop of four services goes out',
    );
    say.plain(`A server for this demonstration is up at ${url}. All that it writes is in ${stage.folder}.`);
    return await (broken ? demoBroken(stage) : demo(stage));
  } catch (error) {
    process.stderr.write(stage.complaints);
    throw error;
  } finally {
    await stage.close();
  }
}

process.exitCode = await main(process.argv.includes('--broken'));
