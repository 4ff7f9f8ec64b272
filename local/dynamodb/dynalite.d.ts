/** The parts of dynalite 4 that are called directly: it publishes no types and no entrance without a socket. */

declare module 'dynalite/validations/index.js' {
  interface Rules {
    readonly types: Readonly<Record<string, unknown>>;
    readonly custom?: unknown;
  }
  const validations: {
    /** Gives back the known members of `data`, converted; throws an error with `statusCode` and `body`. */
    checkTypes(data: Record<string, unknown>, types: Rules['types']): Record<string, unknown>;
    /** Adds parsed expressions to `data`; throws an error with `statusCode` and `body`. */
    checkValidations(data: Record<string, unknown>, types: Rules['types'], custom: unknown, store: unknown): void;
  };
  export default validations;
}

declare module 'dynalite/validations/*.js' {
  const rules: { readonly types: Readonly<Record<string, unknown>>; readonly custom?: unknown };
  export default rules;
}

declare module 'dynalite/actions/*.js' {
  type Done = (error: unknown, output?: Record<string, unknown>) => void;
  const action: (store: unknown, data: Record<string, unknown>, done: Done) => void;
  export default action;
}

declare module 'dynalite/db/conditionParser.js' {
  const parser: import('./expression-cache.ts').Parser;
  export default parser;
}

declare module 'dynalite/db/updateParser.js' {
  const parser: import('./expression-cache.ts').Parser;
  export default parser;
}

declare module 'dynalite/db/index.js' {
  const db: {
    /** Bytes of an item as DynamoDB counts them. */
    itemSize(item: object): number;
    /** The storage key of an item in its table. */
    createKey(item: object, table: object): string;
  };
  export default db;
}
