import { parseDocuments, parseJsonBody } from '../../../core/documents/parse.ts';
import type { Problem } from '../../../core/errors.ts';

/** A deploy that is right, with lines added at its end or lines of it replaced. */
export function deployText(extra = '', replaced: Record<string, string> = {}): string {
  const lines = [
    'apiVersion: renga/v1',
    'kind: Deploy',
    'application: shop',
    'environment: prod',
    'artifact: {type: application, name: shop, version: "1.10"}',
    'deploy: {plugin: command}',
  ];
  const text = lines.map((line) => replaced[line.slice(0, line.indexOf(':'))] ?? line).filter((line) => line !== '');
  return `${text.join('\n')}\n${extra}`;
}

/** A release whose entries each have a right descriptor; entries are written as flow mappings without it. */
export function releaseText(entries: readonly string[] = ['name: api'], extra = ''): string {
  const descriptor = deployText().trimEnd().split('\n').join('\n      ');
  const deploys = entries.map((entry) => `  - ${entry}\n    descriptor:\n      ${descriptor}\n`);
  return `apiVersion: renga/v1\nkind: Release\nid: r1\n${extra}deploys:\n${deploys.join('')}`;
}

/** Problems in one line each: `code path line:column`. */
export function told(problems: readonly Problem[]): string[] {
  return problems.map(({ code, path, position }) => `${code} ${path} ${position?.line}:${position?.column}`);
}

export function problemsIn(text: string, file = 'release.yml'): readonly Problem[] {
  return parseDocuments(text, file).problems;
}

export function bodyProblems(body: unknown): readonly Problem[] {
  return parseJsonBody(typeof body === 'string' ? body : JSON.stringify(body, null, 2)).problems ?? [];
}
