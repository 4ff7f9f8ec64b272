/** What held in each environment when, from what was written. */
import type { Scenario } from '../harness.ts';
import type { EnvironmentWritten } from '../observed-items.ts';
import { BEGINNING } from './world.ts';

const FREE: EnvironmentWritten = { freezes: [] };

export class EnvironmentHistory {
  readonly #written = new Map<string, { at: number; document: EnvironmentWritten }[]>();

  constructor({ records }: Pick<Scenario, 'records'>) {
    for (const record of records) {
      if (record.kind !== 'environment') continue;
      const { name, document, at } = record;
      this.#written.set(name, [...(this.#written.get(name) ?? [{ at: -1, document: FREE }]), { at, document }]);
    }
  }

  /** Whatever held at some time of an instant: what is right by any of it is right. */
  at(name: string, at: number): EnvironmentWritten[] {
    const all = this.#written.get(name) ?? [{ at: -1, document: FREE }];
    const before = all.findLast((each) => each.at < at);
    return [...(before === undefined ? [] : [before]), ...all.filter((each) => each.at === at)].map(
      ({ document }) => document,
    );
  }

  isFrozen(name: string, at: number): boolean {
    const instant = BEGINNING + at;
    return this.at(name, at).every(({ freezes }) =>
      freezes.some(({ from, to }) => Date.parse(from) <= instant && instant < Date.parse(to)),
    );
  }

  /** Whether it may have been frozen at some time of the instant. */
  mayBeFrozen(name: string, at: number): boolean {
    const instant = BEGINNING + at;
    return this.at(name, at).some(({ freezes }) =>
      freezes.some(({ from, to }) => Date.parse(from) <= instant && instant < Date.parse(to)),
    );
  }

  slots(name: string, at: number): number {
    return Math.max(...this.at(name, at).map(({ concurrency = Number.POSITIVE_INFINITY }) => concurrency));
  }

  asks(name: string, at: number): boolean {
    return this.at(name, at).every(({ approval }) => approval !== undefined);
  }
}
