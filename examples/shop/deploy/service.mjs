/** Deploys api or worker: puts its files in place, then runs its program with `--check`, which also says what it offers. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { install, putBack, removeAll } from './files.mjs';
import { checkedRepeatedly, fail, goesBack, goesBackToNothing, job, output } from './job.mjs';

if (job.operation === 'plan') {
  console.log(`would put ${job.service} ${job.version} in place of ${job.previous ?? 'nothing'}`);
} else if (goesBackToNothing) {
  await removeAll(job.target);
  console.log(`${job.service} was never here before, and is not here now`);
} else {
  const { DB_HOST, DB_SCHEMA } = process.env;
  if (!DB_HOST || !DB_SCHEMA) fail('DB_HOST and DB_SCHEMA are not set: they come from the exports of db');
  const config = {
    version: job.version,
    deploy: job.deploy,
    database: { host: DB_HOST, schema: Number(DB_SCHEMA) },
  };
  await (goesBack ? putBack : install)(job, config);
  console.log(`${job.service} ${job.version} is in place, was ${job.previous ?? 'not here'}`);

  let offers = {};
  await checkedRepeatedly(() => {
    try {
      const said = execFileSync(process.execPath, [path.join(job.target, 'current', `${job.service}.mjs`), '--check'], {
        encoding: 'utf8',
        stdio: 'pipe',
      });
      offers = JSON.parse(said);
    } catch (error) {
      return String(error.stderr || error.message).trim();
    }
  });
  for (const [name, value] of Object.entries(offers)) output(name, value);
}
