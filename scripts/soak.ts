/**
 * Hours in minutes: many drawn releases against the model, then many kills of the real process. From RENGA_SEED, to
 * repeat a run. `npm run soak [cases] [kills]`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { killAgainAndAgain } from '../test/scenarios/kills.ts';
import { check, KINDS, type Kind, seedOf } from '../test/scenarios/model-properties.ts';
import { bundle } from './bundle.ts';

const [cases = 5_000, kills = 300] = process.argv.slice(2).map(Number);
const seed = seedOf(process.env);
/** Cases of one seed: a run that goes wrong is found again without those before it. */
const AT_ONCE = 50;
const say = (line: string) => process.stdout.write(`${line}\n`);

async function soakModel(): Promise<void> {
  const kinds = Object.keys(KINDS) as Kind[];
  for (let done = 0, turn = 0; done < cases; done += AT_ONCE, turn++) {
    const kind = kinds[turn % kinds.length] as Kind;
    const count = Math.min(AT_ONCE, cases - done);
    await check(kind, count, seed + turn);
    say(`${done + count} of ${cases} cases: ${count} when ${kind}, RENGA_SEED=${seed + turn}`);
  }
}

async function soakKills(): Promise<void> {
  const program = path.resolve(import.meta.dirname, `../node_modules/.cache/renga-soak-${process.pid}`);
  const directory = await mkdtemp(path.join(tmpdir(), 'renga-soak-'));
  try {
    await bundle(program);
    const wrong = await killAgainAndAgain({ main: path.join(program, 'renga.js'), directory, kills, seed, say });
    if (wrong.length > 0) throw new Error(`of ${kills} kills from RENGA_SEED=${seed}:\n${wrong.join('\n')}`);
    say(`${kills} kills: nothing lost, nothing done twice`);
  } finally {
    await rm(program, { recursive: true, force: true });
    await rm(directory, { recursive: true, force: true });
  }
}

await soakModel();
await soakKills();
