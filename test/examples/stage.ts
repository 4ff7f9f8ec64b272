/** A renga of its own, whose working directory holds a copy of the examples: what they deploy lands there. */
import { cpSync, existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';
import { ReleaseView } from '../../api/contract.ts';
import type { ReleaseDocument } from '../../core/documents/release.ts';
import { readRelease } from '../../files/read-release.ts';
import { startServer } from '../../local/server.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));

/** A path below a directory → what a file holds, or where a link leads. */
export type Disk = Readonly<Record<string, string>>;

export async function openStage() {
  const root = mkdtempSync(path.join(tmpdir(), 'renga-examples-'));
  const examples = path.join(root, 'examples');
  cpSync(EXAMPLES, examples, { recursive: true, filter: (source) => path.basename(source) !== 'deployed' });
  const server = await startServer({ port: 0, dataDirectory: path.join(root, 'data'), workingDirectory: root });
  onTestFinished(async () => {
    await server.close();
    rmSync(root, { recursive: true, force: true });
  });

  const call = async (route: string, body?: unknown) => {
    const response = await fetch(`${server.url}/v1${route}`, {
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };

  return {
    call,
    /** Submits a release of the examples, changed if need be, and says how it stands at its end. */
    async run(file: string, change = (release: ReleaseDocument) => release): Promise<ReleaseView> {
      const { release, problems } = await readRelease(path.join(examples, file));
      if (problems !== undefined) throw new Error(`${file}: ${problems.map(({ message }) => message).join('; ')}`);
      const { id } = ReleaseView.parse(await call('/releases', change(release)));
      return vi.waitUntil(
        async () => {
          const view = ReleaseView.parse(await call(`/releases/${id}`));
          return view.state !== 'PENDING' && view;
        },
        { timeout: 60_000 },
      );
    },
    text: (file: string) => readFileSync(path.join(examples, file), 'utf8'),
    json: (file: string): unknown => JSON.parse(readFileSync(path.join(examples, file), 'utf8')),
    disk(directory: string): Disk {
      const top = path.join(examples, directory);
      if (!existsSync(top)) return {};
      return Object.fromEntries(
        readdirSync(top, { recursive: true, encoding: 'utf8' })
          .sort()
          .flatMap((name) => {
            const stat = lstatSync(path.join(top, name));
            if (stat.isSymbolicLink()) return [[name, `→ ${readlinkSync(path.join(top, name))}`]];
            return stat.isFile() ? [[name, readFileSync(path.join(top, name), 'utf8')]] : [];
          }),
      );
    },
  };
}
