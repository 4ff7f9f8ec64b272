/**
 * Takes one node out of the pool, brings it to RENGA_VERSION and lets it in again. Refuses while another node is out:
 * two at once would leave one to serve everybody. The pool's file tells what happened, in order.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const { RENGA_OPERATION, RENGA_ARTIFACT_NAME: node, RENGA_VERSION: version, POOL: file } = process.env;

if (RENGA_OPERATION === 'plan') {
  console.log(`would bring ${node} to ${version}`);
} else {
  const out = Object.entries(read().nodes).find(([name, { serves }]) => name !== node && !serves);
  if (out !== undefined) {
    console.error(`${out[0]} is out of the pool: ${node} has to wait until it is back`);
    process.exit(1);
  }
  change('out', (nodes) => ({ ...nodes, [node]: { version: nodes[node]?.version ?? null, serves: false } }));
  await new Promise((resolve) => setTimeout(resolve, 200));
  change(`in with ${version}`, (nodes) => ({ ...nodes, [node]: { version, serves: true } }));
}

function read() {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { nodes: {}, history: [] };
}

function change(what, nodesAfter) {
  const { nodes, history } = read();
  const pool = { nodes: nodesAfter(nodes), history: [...history, `${node} ${what}`] };
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(`${file}.draft`, `${JSON.stringify(pool, null, 2)}\n`);
  renameSync(`${file}.draft`, file);
  console.log(`${node} ${what}`);
}
