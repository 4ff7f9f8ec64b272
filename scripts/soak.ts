/**
 * Hours in minutes: many drawn releases and worlds against their models, of every kind in turn, then many kills of the
 * real process. From RENGA_SEED, to repeat a run. `npm run soak [cases] [kills]`. A case that goes wrong is printed with
 * what repeats it, and the others go on; the last lines are the rows of the table in docs/testing.md.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { killAgainAndAgain } from '../test/scenarios/kills.ts';
import { checkLife, LIFE_KINDS, type LifeKind } from '../test/scenarios/life/life-properties.ts';
import { check, KINDS, type Kind as ModelKind, seedOf } from '../test/scenarios/model-properties.ts';
import { bundle } from './bundle.ts';

const [cases = 10_000, kills = 300] = process.argv.slice(2).map(Number);
const seed = seedOf(process.env);
/** Cases of one seed: a run that goes wrong is found again without those before it. */
const AT_ONCE = 50;
const say = (line: string) => process.stdout.write(`${line}\n`);

interface Kind {
  readonly name: string;
  /** Answers how many of the cases the rules fix to the end, where that is known. */
  readonly check: (cases: number, from: number) => Promise<number | undefined>;
}

const kinds: readonly Kind[] = [
  ...(Object.keys(KINDS) as ModelKind[]).map((name): Kind => {
    return {
      name: `a release, when ${name}`,
      check: async (count, from) => {
        await check(name, count, from);
        return undefined;
      },
    };
  }),
  ...(Object.keys(LIFE_KINDS) as LifeKind[]).map((name): Kind => {
    return { name, check: async (count, from) => (await checkLife(name, count, from)).get('exact') ?? 0 };
  }),
];

interface Tally {
  cases: number;
  fixed: number | undefined;
  /** Seeds of the batches in which something went wrong. */
  readonly wrong: number[];
}
const tallies = new Map<string, Tally>(kinds.map(({ name }) => [name, { cases: 0, fixed: undefined, wrong: [] }]));

async function soakModel(): Promise<void> {
  for (let done = 0, turn = 0; done < cases; done += AT_ONCE, turn++) {
    const kind = kinds[turn % kinds.length] as Kind;
    const count = Math.min(AT_ONCE, cases - done);
    const tally = tallies.get(kind.name) as Tally;
    tally.cases += count;
    try {
      const fixed = await kind.check(count, seed + turn);
      if (fixed !== undefined) tally.fixed = (tally.fixed ?? 0) + fixed;
      say(`${done + count} of ${cases} cases: ${count} of ${kind.name}, RENGA_SEED=${seed + turn}`);
    } catch (error) {
      tally.wrong.push(seed + turn);
      const { message, cause } = error as Error;
      say(`WRONG: ${kind.name}, RENGA_SEED=${seed + turn}\n${message}\n${cause === undefined ? '' : String(cause)}`);
    }
  }
}

function sayTallies(): void {
  say(`\n| from RENGA_SEED=${seed} | cases | fixed by the rules | wrong |\n| --- | --- | --- | --- |`);
  for (const [name, { cases: count, fixed, wrong }] of tallies) {
    if (count > 0) say(`| ${name} | ${count} | ${fixed ?? '-'} | ${wrong.length === 0 ? 'none' : wrong.join(', ')} |`);
  }
}

async function soakKills(): Promise<void> {
  const program = path.resolve(import.meta.dirname, `../node_modules/.cache/renga-soak-${process.pid}`);
  const directory = await mkdtemp(path.join(tmpdir(), 'renga-soak-'));
  try {
    await bundle(program);
    const wrong = await killAgainAndAgain({ main: path.join(program, 'renga.js'), directory, kills, seed, say });
    if (wrong.length > 0) {
      say(`WRONG: of ${kills} kills from RENGA_SEED=${seed}:\n${wrong.join('\n')}`);
      process.exitCode = 1;
    }
    say(`| kills of \`renga start\` | ${kills} | - | ${wrong.length === 0 ? 'none' : wrong.length} |`);
  } finally {
    await rm(program, { recursive: true, force: true });
    await rm(directory, { recursive: true, force: true });
  }
}

await soakModel();
sayTallies();
if ([...tallies.values()].some(({ wrong }) => wrong.length > 0)) process.exitCode = 1;
if (kills > 0) await soakKills();
