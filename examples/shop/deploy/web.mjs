/** Deploys web: puts its pages in place, then serves them on a free port and asks for the page and all that it asks for. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { install, putBack, removeAll } from './files.mjs';
import { checkedRepeatedly, fail, goesBack, goesBackToNothing, job } from './job.mjs';

if (job.operation === 'plan') {
  console.log(`would put ${job.service} ${job.version} in place of ${job.previous ?? 'nothing'}`);
} else if (goesBackToNothing) {
  await removeAll(job.target);
  console.log(`${job.service} was never here before, and is not here now`);
} else {
  if (!process.env.API_URL) fail('API_URL is not set: it comes from the exports of api');
  await (goesBack ? putBack : install)(job, { version: job.version, deploy: job.deploy, api: process.env.API_URL });
  console.log(`${job.service} ${job.version} is in place, was ${job.previous ?? 'not here'}`);

  const server = createServer(async (request, response) => {
    const name = request.url === '/' ? 'index.html' : path.basename(request.url ?? '');
    const body = await readFile(path.join(job.target, 'current', name)).catch(() => undefined);
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  await checkedRepeatedly(async () => {
    const page = await fetch(`${origin}/`);
    if (!page.ok) return `GET / answered ${page.status}`;
    for (const [, name] of (await page.text()).matchAll(/(?:src|href)="([^"#:]+)"/g)) {
      const { status } = await fetch(new URL(name, origin));
      if (status !== 200) return `index.html asks for ${name}, and GET /${name} answered ${status}`;
    }
  });
  server.close();
  server.closeAllConnections();
}
