declare module 'asl-validator' {
  /** Checks a definition against the Amazon States Language; writes into what it is given. */
  export default function validate(definition: unknown): { readonly isValid: boolean; errorsText(): string };
}
