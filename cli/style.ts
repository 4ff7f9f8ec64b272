import { type Look, lookOf } from '../graph/states.ts';
import type { Output } from './surroundings.ts';

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;
export type Colour = keyof typeof CODES;

/** Colours say nothing that a sign or a word beside them doesn't say as well. */
const LOOKS: Readonly<Record<Look, { readonly sign: string; readonly colour: Colour }>> = {
  plain: { sign: ' ', colour: 'dim' },
  waiting: { sign: '○', colour: 'yellow' },
  running: { sign: '●', colour: 'cyan' },
  good: { sign: '✓', colour: 'green' },
  bad: { sign: '✗', colour: 'red' },
  stopped: { sign: '–', colour: 'dim' },
};

/** Paints only for a terminal, and not when NO_COLOR (https://no-color.org), `--no-color` or a dumb terminal forbids it. */
export class Style {
  readonly #on: boolean;

  constructor(output: Output, env: Readonly<Record<string, string | undefined>>, wanted: boolean) {
    this.#on = wanted && output.isTTY && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
  }

  paint(colour: Colour, text: string): string {
    if (!this.#on || text === '') return text;
    const [open, close] = CODES[colour];
    return `\u001b[${open}m${text}\u001b[${close}m`;
  }

  /** A text in the colour of a state. */
  inState(state: string, text: string): string {
    return this.paint(LOOKS[lookOf(seen(state))].colour, text);
  }
}

/** One character for a state, for the start of a line. */
export function signOf(state: string): string {
  return LOOKS[lookOf(seen(state))].sign;
}

/** A release has no state of its own for what is going on: until it ends it is `PENDING`. */
function seen(state: string): string {
  return state === 'PENDING' ? 'RUNNING' : state;
}
