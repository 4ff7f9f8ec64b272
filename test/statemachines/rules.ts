/** What must hold of every definition that renga writes, beyond being valid Amazon States Language. */
interface AnyState {
  readonly Type: string;
  readonly Resource?: string;
  readonly Next?: string;
  readonly Default?: string;
  readonly QueryLanguage?: string;
  readonly Retry?: readonly { readonly ErrorEquals: readonly string[]; readonly MaxAttempts: number }[];
  readonly Catch?: readonly { readonly ErrorEquals: readonly string[]; readonly Next: string }[];
  readonly Choices?: readonly { readonly Next: string }[];
  readonly Branches?: readonly Block[];
  readonly ItemProcessor?: Block;
}
interface Block {
  readonly StartAt: string;
  readonly States: Readonly<Record<string, AnyState>>;
}

const JSONPATH_FIELDS = ['InputPath', 'OutputPath', 'ResultPath', 'ResultSelector', 'Parameters', 'ItemsPath'];

/** One sentence a breach; none when the definition keeps every rule. */
export function ruleBreaches(definition: Block & { readonly QueryLanguage?: string }): string[] {
  const breaches: string[] = [];
  if (definition.QueryLanguage !== 'JSONata') breaches.push('the definition is not JSONata');
  const names: string[] = [];
  visit(definition, '', names, breaches);
  for (const name of names) if (name.length > 80) breaches.push(`"${name}" is longer than 80 characters`);
  if (new Set(names).size !== names.length) breaches.push('a name stands twice');
  return breaches;
}

function visit(block: Block, owner: string, names: string[], breaches: string[]): void {
  const reached = new Set([block.StartAt]);
  for (const [name, state] of Object.entries(block.States)) {
    names.push(name);
    for (const next of nextOf(state)) reached.add(next);
    for (const field of JSONPATH_FIELDS) if (field in state) breaches.push(`"${name}" uses ${field}`);
    if (state.Type === 'Task') {
      if (!state.Resource?.startsWith('arn:aws:states:::lambda:invoke'))
        breaches.push(`"${name}" calls ${state.Resource}`);
      if ((state.Retry ?? []).length === 0) breaches.push(`"${name}" tries nothing again`);
    }
    // A failing branch ends its siblings (I6).
    if (state.Type === 'Parallel') {
      for (const branch of state.Branches ?? []) {
        const first = branch.States[branch.StartAt];
        if (!first?.Catch?.some(({ ErrorEquals }) => ErrorEquals.includes('States.ALL'))) {
          breaches.push(`a branch of "${name}" does not catch everything`);
        }
      }
    }
    for (const inner of [
      ...(state.Branches ?? []),
      ...(state.ItemProcessor === undefined ? [] : [state.ItemProcessor]),
    ]) {
      visit(inner, name, names, breaches);
    }
  }
  for (const name of reached)
    if (!(name in block.States)) breaches.push(`"${name}" is a next state and does not exist in ${owner}`);
  for (const name of Object.keys(block.States)) if (!reached.has(name)) breaches.push(`"${name}" can't be reached`);
}

function nextOf(state: AnyState): string[] {
  return [
    state.Next,
    state.Default,
    ...(state.Catch ?? []).map(({ Next }) => Next),
    ...(state.Choices ?? []).map(({ Next }) => Next),
  ].flatMap((next) => next ?? []);
}
