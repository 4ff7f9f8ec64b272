/**
 * What a function's code can reach, read from the source: every name that a declaration mentions is followed into the
 * file that declares it, and every `ports.…` on the way is a use. Says too much rather than too little: what is mentioned
 * counts as called.
 */
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import type { Use } from '../../infra/permissions.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const READS =
  'read readMany pending waitersOf exportsOf member members current revision get of environment environments configOf configs configsOf access pipeline all seqOf placesOf revisionsOf outputsOf begunAs holders kept rows boundOf has'.split(
    ' ',
  );
const WRITES =
  'decide decideBetweenJobs noteJob comeTo create attach settle postpone dependenciesSucceeded registerWaiter forgetWaiters putExports putMembers publish append put take give replace remove ticket takeTicket join leave count grant free keep drop note putBegun moveOn putOutput forgetOutputs change answer putExportsOnce bind'.split(
    ' ',
  );

interface Declaration {
  readonly mentions: readonly string[];
  readonly uses: readonly Use[];
}

interface SourceText {
  readonly declarations: ReadonlyMap<string, Declaration>;
  /** Local name to the file and the name there. */
  readonly imports: ReadonlyMap<string, { readonly file: string; readonly name: string }>;
}

const files = new Map<string, SourceText>();

/** The uses that a declaration of a file can come to, in the order of the alphabet; the file's path from the project's root. */
export function reachableUses(file: string, name = 'handler'): Use[] {
  const seen = new Set<string>();
  const uses = new Set<Use>();
  const visit = (from: string, mentioned: string): boolean => {
    const key = `${from}#${mentioned}`;
    if (seen.has(key)) return true;
    seen.add(key);
    const source = readSource(from);
    const imported = source.imports.get(mentioned);
    if (imported !== undefined) return visit(imported.file, imported.name);
    const declaration = source.declarations.get(mentioned);
    for (const use of declaration?.uses ?? []) uses.add(use);
    for (const mention of declaration?.mentions ?? []) visit(from, mention);
    return declaration !== undefined;
  };
  if (!visit(resolve(ROOT, file), name)) throw new Error(`${file} declares no ${name}`);
  return [...uses].sort();
}

function readSource(file: string): SourceText {
  const known = files.get(file);
  if (known !== undefined) return known;
  const text = ts.sys.readFile(file);
  if (text === undefined) throw new Error(`there is no ${file}`);
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  const imports = new Map<string, { file: string; name: string }>();
  const declarations = new Map<string, Declaration>();
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) {
      for (const [local, imported] of importedNames(statement, file)) imports.set(local, imported);
    } else if (ts.isVariableStatement(statement)) {
      for (const each of statement.declarationList.declarations) declarations.set(each.name.getText(), contentOf(each));
    } else if ((ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) && statement.name) {
      declarations.set(statement.name.text, contentOf(statement));
    }
  }
  const read = { declarations, imports };
  files.set(file, read);
  return read;
}

function importedNames(statement: ts.ImportDeclaration, file: string): [string, { file: string; name: string }][] {
  const from = statement.moduleSpecifier.getText().slice(1, -1);
  const bindings = statement.importClause?.namedBindings;
  if (!from.startsWith('.') || bindings === undefined || !ts.isNamedImports(bindings)) return [];
  return bindings.elements.map((element) => [
    element.name.text,
    { file: resolve(dirname(file), from), name: (element.propertyName ?? element.name).text },
  ]);
}

function contentOf(node: ts.Node): Declaration {
  const mentions = new Set<string>();
  const uses = new Set<Use>();
  const walk = (child: ts.Node): void => {
    if (ts.isIdentifier(child)) mentions.add(child.text);
    if (ts.isCallExpression(child)) {
      for (const use of usesOf(child)) uses.add(use);
    }
    ts.forEachChild(child, walk);
  };
  walk(node);
  return { mentions: [...mentions], uses: [...uses] };
}

/** A plugin keeps what it knows of its jobs in the table, and may ask others by events. */
const BY_PLUGINS: readonly Use[] = ['read', 'write', 'publish'];

function usesOf(call: ts.CallExpression): readonly Use[] {
  const path = call.expression.getText().replaceAll(/\s|\?/g, '');
  if (path.endsWith('ports.plugins.get')) return BY_PLUGINS;
  if (path.includes('ports.services[')) return ['ask-services'];
  const use = useOf(call, path);
  return use === undefined ? [] : [use];
}

/** Throws on a call of a port that it does not know: a new one needs a permission, or a word here that it needs none. */
function useOf(call: ts.CallExpression, path: string): Use | undefined {
  const [, port, rest] = /(?:^|\.)ports\.(store|machines|bus)\.(.+)$/.exec(path) ?? [];
  if (port === undefined || rest === undefined) return undefined;
  const method = rest.split('.').at(-1) ?? rest;
  if (port === 'bus') return 'publish';
  if (port === 'store' && rest === 'lists.due') return 'list-open';
  if (port === 'store' && rest.startsWith('lists.')) return 'list';
  if (port === 'store' && rest === 'slots.line') return 'read';
  if (port === 'store' && rest === 'turns.line') return 'write';
  if (port === 'store' && READS.includes(method)) return 'read';
  if (port === 'store' && WRITES.includes(method)) return 'write';
  if (port === 'machines' && (method === 'succeed' || method === 'fail')) return 'answer';
  if (port === 'machines' && method === 'status') return 'look-at-executions';
  if (port === 'machines' && method === 'ensure') return 'create-machines';
  if (port === 'machines' && method === 'start')
    return call.arguments[0]?.getText() === 'ports.deployMachine' ? 'start-deploys' : 'start-releases';
  throw new Error(`what ${path} needs is not known`);
}
