/**
 * Following what runs until it has ended. Following is only looking: when it stops, at `--timeout`, at Ctrl-C or when
 * the server has gone away, what is followed goes on.
 */
import { CommandFailure } from './failure.ts';
import type { Surroundings } from './surroundings.ts';
import { lasted } from './time.ts';

/** Between two looks while something changes, growing by half to the other one while nothing does. Milliseconds. */
const SOONEST = 200;
const LATEST = 1_000;
/** A server that restarts is back within this; one that is away for longer is reported. */
const MOST_AWAY = 60_000;

export interface Followable<View> {
  /** As messages call it: `the release shop-2026-10`. */
  readonly name: string;
  read(signal: AbortSignal): Promise<View>;
  hasEnded(view: View): boolean;
  /** The command that follows it again. */
  readonly again: string;
}

export interface Display<View> {
  show(view: View): void;
  /** The server does not answer at the moment, since that many milliseconds. */
  away(reason: string, milliseconds: number): void;
  /** Leaves the terminal ready for what is printed next. */
  end(): void;
}

export type Followed<View> = {
  readonly kind: 'ended' | 'timeout' | 'interrupted';
  /** As it was seen last. */
  readonly view: View;
};

/** `timeout` in milliseconds. Throws the failure of the last look when the server stays away, or refuses. */
export async function follow<View>(
  surroundings: Surroundings,
  subject: Followable<View>,
  first: View,
  display: Display<View>,
  timeout = Number.POSITIVE_INFINITY,
): Promise<Followed<View>> {
  const interrupt = new AbortController();
  const listening = surroundings.onInterrupt(() => interrupt.abort());
  const deadline = surroundings.now() + timeout;
  try {
    let view = first;
    let seen = JSON.stringify(view);
    let answeredAt = surroundings.now();
    display.show(view);
    for (let pause = SOONEST; ; ) {
      if (subject.hasEnded(view)) return { kind: 'ended', view };
      const left = deadline - surroundings.now();
      if (left <= 0) return { kind: 'timeout', view };
      await surroundings.sleep(Math.min(pause, left), interrupt.signal);
      if (interrupt.signal.aborted) return { kind: 'interrupted', view };
      const next = await lookAgain(subject, interrupt.signal);
      if (interrupt.signal.aborted) return { kind: 'interrupted', view };
      if (next instanceof CommandFailure) {
        const away = surroundings.now() - answeredAt;
        if (away >= MOST_AWAY) throw lost(subject, next, away);
        display.away(next.message, away);
        pause = LATEST;
        continue;
      }
      view = next;
      display.show(view);
      answeredAt = surroundings.now();
      const now = JSON.stringify(view);
      pause = now === seen ? Math.min(LATEST, pause * 1.5) : SOONEST;
      seen = now;
    }
  } finally {
    listening();
    display.end();
  }
}

/** What it looks like now, or why the server could not say; a refusal will not change, and is thrown. */
async function lookAgain<View>(subject: Followable<View>, signal: AbortSignal): Promise<View | CommandFailure> {
  try {
    return await subject.read(signal);
  } catch (error) {
    const mayPass = error instanceof CommandFailure && ['unreachable', 'unavailable', 'internal'].includes(error.code);
    if (mayPass) return error;
    throw error;
  }
}

function lost(subject: Followable<unknown>, { exit, code, message, details }: CommandFailure, away: number) {
  const hint = `how ${subject.name} goes on is not known; it does so with its server. Look again with\n${subject.again}`;
  const whole = details.hint === undefined ? hint : `${hint}\n${details.hint}`;
  return new CommandFailure(exit, code, `${message}, for ${lasted(away)} now`, { hint: whole });
}
