/** The tests of a file as they are written: their names, whether they run, and the words of their cases. */
import ts from 'typescript';

export interface NamedTest {
  /** As it stands in the file, `%s` included; of a template what comes before its first value. */
  readonly name: string;
  /** It is skipped, or may be, with whatever it stands in. */
  readonly skipped: boolean;
  /** Every text of the tables that it, and whatever it stands in, is run over. */
  readonly cases: ReadonlySet<string>;
}

const SKIPPING = ['skip', 'todo', 'skipIf', 'runIf'];

interface Around {
  readonly skipped: boolean;
  readonly tables: readonly ts.Node[];
}

export function testsOf(text: string): NamedTest[] {
  const file = ts.createSourceFile('tests.ts', text, ts.ScriptTarget.Latest, true);
  const constants = constantsOf(file);
  const found: NamedTest[] = [];
  const visit = (node: ts.Node, around: Around): void => {
    let within = around;
    if (ts.isCallExpression(node)) {
      const called = calledBy(node.expression);
      const title = titleOf(node.arguments[0]);
      if (called !== undefined && title !== undefined) {
        const skipped = around.skipped || called.words.some((word) => SKIPPING.includes(word));
        within = { skipped, tables: [...around.tables, ...called.tables] };
        if (called.root !== 'describe') {
          found.push({ name: title, skipped, cases: textsIn(within.tables, constants) });
          return;
        }
      }
    }
    ts.forEachChild(node, (child) => visit(child, within));
  };
  visit(file, { skipped: false, tables: [] });
  return found;
}

/** `test.each(table)` is called on the root `test` by the word `each`, with a table. */
function calledBy(expression: ts.Expression) {
  const [words, tables]: [string[], ts.Node[]] = [[], []];
  let node = expression;
  for (;;) {
    if (ts.isIdentifier(node)) {
      return ['test', 'it', 'describe'].includes(node.text) ? { root: node.text, words, tables } : undefined;
    }
    if (ts.isPropertyAccessExpression(node)) words.push(node.name.text);
    else if (ts.isCallExpression(node)) tables.push(...node.arguments);
    else return undefined;
    node = node.expression;
  }
}

function titleOf(node: ts.Node | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (ts.isStringLiteralLike(node)) return node.text;
  return ts.isTemplateExpression(node) ? node.head.text : undefined;
}

interface Constant {
  readonly value: ts.Expression;
  /** Where its name means it. */
  readonly scope: ts.Node;
}

/** The constants of a file by name, those of inner scopes first. */
function constantsOf(file: ts.SourceFile): ReadonlyMap<string, readonly Constant[]> {
  const constants = new Map<string, Constant[]>();
  const visit = (node: ts.Node, scope: ts.Node): void => {
    const inner = ts.isBlock(node) ? node : scope;
    ts.forEachChild(node, (child) => visit(child, inner));
    if (!ts.isVariableDeclaration(node) || !ts.isIdentifier(node.name) || node.initializer === undefined) return;
    constants.set(node.name.text, [...(constants.get(node.name.text) ?? []), { value: node.initializer, scope }]);
  };
  visit(file, file);
  for (const all of constants.values()) all.sort((a, b) => b.scope.pos - a.scope.pos);
  return constants;
}

function textsIn(tables: readonly ts.Node[], constants: ReadonlyMap<string, readonly Constant[]>): ReadonlySet<string> {
  const texts = new Set<string>();
  const followed = new Set<Constant>();
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) texts.add(node.text);
    if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name)) texts.add(node.name.text);
    const meant = ts.isIdentifier(node)
      ? constants.get(node.text)?.find(({ scope }) => scope.pos <= node.pos && node.end <= scope.end)
      : undefined;
    if (meant !== undefined && !followed.has(meant)) {
      followed.add(meant);
      visit(meant.value);
    }
    ts.forEachChild(node, visit);
  };
  for (const table of tables) visit(table);
  return texts;
}
