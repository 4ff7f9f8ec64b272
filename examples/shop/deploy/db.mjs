/**
 * Deploys the database: brings its data to the schema of the version, by the migrations that it comes with. Going back
 * undoes those that the older version does not have, newest first; the orders themselves stay.
 *
 * The data is one file, `data.json`, which outlives every version. It holds its own schema number, so a script that is
 * run again goes on from where the data is.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { install, putBack, removeAll, replaceFile } from './files.mjs';
import { checkedRepeatedly, goesBack, goesBackToNothing, job, output } from './job.mjs';

const dataFile = path.join(job.target, 'data.json');
const config = { version: job.version, deploy: job.deploy };

if (job.operation === 'plan') {
  const schema = schemaOf(await migrationsIn(job.source));
  console.log(`would bring the schema from ${(await data()).schema} to ${schema}`);
} else if (goesBackToNothing) {
  await undo(0);
  await removeAll(job.target);
  console.log(`${job.service} was never here before, and is not here now`);
} else {
  const migrations = await migrationsIn(job.source);
  const schema = schemaOf(migrations);
  // The version whose migrations are in the data is in place before they are done, and until they are undone.
  if (goesBack) {
    await undo(schema);
    await putBack(job, config);
  } else {
    await install(job, config);
    await migrate(migrations);
  }
  console.log(`${job.service} ${job.version} is in place with schema ${schema}, was ${job.previous ?? 'not here'}`);

  await checkedRepeatedly(async () => {
    const now = (await data()).schema;
    return now === schema ? undefined : `the data has schema ${now}, not ${schema}`;
  });
  output('db_host', process.env.DB_HOST ?? 'localhost');
  output('schema', schema);
}

async function migrate(migrations) {
  const found = await data();
  for (const { number, name, up } of migrations.filter((migration) => migration.number > found.schema)) {
    up(found);
    found.schema = number;
    console.log(`migration ${name}: done`);
  }
  await write(found);
}

/** Undoes what leads beyond a schema, by the migrations of the version that is in place. */
async function undo(schema) {
  const found = await data();
  const installed = await migrationsIn(path.join(job.target, 'current'));
  const beyond = installed.filter(({ number }) => number > schema && number <= found.schema);
  for (const { number, name, down } of beyond.reverse()) {
    down(found);
    found.schema = number - 1;
    console.log(`migration ${name}: undone`);
  }
  await write(found);
}

async function data() {
  return existsSync(dataFile) ? JSON.parse(await readFile(dataFile, 'utf8')) : { schema: 0 };
}

function write(found) {
  return replaceFile(dataFile, `${JSON.stringify(found, null, 2)}\n`);
}

function schemaOf(migrations) {
  return migrations.at(-1)?.number ?? 0;
}

/** In order. Each file `<number>-<name>.mjs` exports `up(data)` and `down(data)`. */
async function migrationsIn(version) {
  const directory = path.join(version, 'migrations');
  if (!existsSync(directory)) return [];
  const files = (await readdir(directory)).filter((file) => /^\d+-.+\.mjs$/.test(file)).sort();
  return Promise.all(
    files.map(async (file) => {
      const { up, down } = await import(pathToFileURL(path.resolve(directory, file)).href);
      return { number: Number.parseInt(file, 10), name: path.basename(file, '.mjs'), up, down };
    }),
  );
}
