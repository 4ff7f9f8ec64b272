import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { shown } from '../core/documents/shown.ts';
import { decode, type Position, sizeProblem } from '../core/documents/source-text.ts';
import type { Problem } from '../core/errors.ts';

/** Where a file is named: the field and its place, or the command line (no path, no position). */
export interface Reference {
  readonly path: string;
  readonly position?: Position | undefined;
}

export type TextFile =
  | { readonly text: string; readonly real: string; readonly problem?: undefined }
  | { readonly problem: Problem; readonly text?: undefined };

/** What the system says about a file that can't be read, as a problem of whoever named it. */
const REASONS: Readonly<Record<string, readonly [code: string, what: string]>> = {
  ENOENT: ['file-missing', 'does not exist'],
  ENOTDIR: ['file-missing', 'does not exist: a part of its path is no directory'],
  EACCES: ['file-unreadable', 'can not be read: permission denied'],
  EPERM: ['file-unreadable', 'can not be read: permission denied'],
  ELOOP: ['file-unreadable', 'can not be read: its symbolic links go round in a circle'],
  ENAMETOOLONG: ['file-missing', 'does not exist: its name is too long'],
};

/** A directory that files must stay inside: as it was named, and without symbolic links. */
export interface Root {
  readonly named: string;
  readonly real: string;
}

/**
 * The text of a file, whose problems name it and stand where it is named. With `root`, a file outside of that directory
 * is refused, whether its name or a symbolic link leads there; by its name, without looking whether it exists.
 */
export async function readText(file: string, reference: Reference, root?: Root): Promise<TextFile> {
  const problem = (code: string, what: string, hint?: string): TextFile => ({
    problem: { code, path: reference.path, message: `${shown(file)} ${what}`, hint, position: reference.position },
  });
  const outside = () =>
    problem('file-outside', `is outside of ${root?.named}`, 'only files beside or below the release file are read');
  if (root !== undefined && !isInside(path.resolve(file), root.named)) return outside();
  try {
    const real = await realpath(file);
    if (root !== undefined && !isInside(real, root.real)) return outside();
    const found = await stat(real);
    if (found.isDirectory()) return problem('file-is-directory', 'is a directory', 'name a file in it');
    if (!found.isFile()) return problem('file-unreadable', 'is no ordinary file');
    // Before its bytes are read: it may not fit in memory.
    const large = sizeProblem(found.size, shown(file));
    if (large !== undefined) return { problem: { ...large, ...reference } };
    const decoded = decode(await readFile(real), shown(file));
    return 'problem' in decoded ? { problem: { ...decoded.problem, ...reference } } : { text: decoded.text, real };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const reason = REASONS[code];
    if (reason === undefined) throw error;
    return problem(...reason);
  }
}

function isInside(file: string, root: string): boolean {
  const relative = path.relative(root, file);
  return !path.isAbsolute(relative) && relative.split(path.sep)[0] !== '..';
}
