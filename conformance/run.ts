/**
 * `npm run conformance -- <folder>`: compares renga with what other systems were seen to do, as recorded in the files
 * of that folder. Prints for each file how many cases agree, disagree and are refused by name as unsupported, names
 * each of the latter two, and exits 0 only when none disagrees.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { importProblems } from '../core/documents/imports.ts';
import { graphs, type RunRelease, realGraphs } from './graphs.ts';
import { report } from './report.ts';
import type { CaseResult } from './result.ts';

const Cases = z.looseObject({ cases: z.array(z.unknown()) });
type Cases = z.infer<typeof Cases>;
type Compare = (file: Cases) => CaseResult[] | Promise<CaseResult[]>;

/** How each file is compared; undefined when this build has nothing to compare it with. */
const FILES: ReadonlyMap<string, () => Promise<Compare | undefined>> = new Map([
  ['step-functions.json', () => exported<Compare>('./step-functions.ts', 'stepFunctions')],
  ['event-patterns.json', () => exported<Compare>('./event-patterns.ts', 'eventPatterns')],
  ['graphs.json', async () => (file) => graphs(file, importProblems)],
  ['real-graphs.json', compareRealGraphs],
  ['three-way.json', () => exported<Compare>('./three-way.ts', 'threeWay')],
]);

async function compareRealGraphs(): Promise<Compare> {
  const runRelease = await exported<RunRelease>('./run-release.ts', 'runRelease');
  if (runRelease === undefined) process.stdout.write('real-graphs.json: only layers are compared, nothing is run\n');
  return (file) => realGraphs(file, runRelease);
}

/** A function of a module that need not be there. */
async function exported<T>(path: string, name: string): Promise<T | undefined> {
  const url = new URL(path, import.meta.url);
  if (!existsSync(url)) return undefined;
  const module: Record<string, unknown> = await import(url.href);
  if (typeof module[name] !== 'function') throw new Error(`${path} does not export ${name}`);
  return module[name] as T;
}

async function main(folder: string | undefined): Promise<number> {
  if (folder === undefined || !existsSync(folder)) {
    process.stderr.write(`no such folder: ${folder ?? '(none given)'}\nuse: npm run conformance -- <folder>\n`);
    return 2;
  }
  let disagreements = 0;
  for (const [name, comparison] of FILES) {
    const path = join(folder, name);
    if (!existsSync(path)) {
      process.stdout.write(`${name}: missing in ${folder}\n`);
      continue;
    }
    const compare = await comparison();
    const file = Cases.parse(JSON.parse(readFileSync(path, 'utf8')));
    if (compare === undefined) {
      process.stdout.write(`${name}: ${file.cases.length} cases not compared, renga has no counterpart yet\n`);
      continue;
    }
    const { text, disagree } = report(name, await compare(file));
    process.stdout.write(text);
    disagreements += disagree;
  }
  return disagreements === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv[2]);
