import fc from 'fast-check';

/** A cron expression that was drawn: its text, and what it means, neither made from the other by renga's code. */
export interface DrawnCron {
  readonly text: string;
  readonly matches: (local: Date) => boolean;
}

interface DrawnField {
  readonly text: string;
  readonly values: ReadonlySet<number>;
}

const star = (least: number, most: number): fc.Arbitrary<DrawnField> =>
  fc.constant({ text: '*', values: new Set(span(least, most, 1)) });

const stepped = (least: number, most: number): fc.Arbitrary<DrawnField> =>
  fc
    .integer({ min: 1, max: most - least })
    .map((step) => ({ text: `*/${step}`, values: new Set(span(least, most, step)) }));

const listed = (least: number, most: number): fc.Arbitrary<DrawnField> =>
  fc
    .array(
      fc.tuple(
        fc.integer({ min: least, max: most }),
        fc.integer({ min: least, max: most }),
        fc.integer({ min: 1, max: 5 }),
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map((items) => {
      const parts = items.map(([one, other, step]) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        return from === to
          ? { text: `${from}`, values: [from] }
          : { text: `${from}-${to}/${step}`, values: span(from, to, step) };
      });
      return { text: parts.map(({ text }) => text).join(','), values: new Set(parts.flatMap(({ values }) => values)) };
    });

const field = (least: number, most: number) =>
  fc.oneof({ weight: 2, arbitrary: listed(least, most) }, stepped(least, most), star(least, most));

/** Mostly all days: a range of a few days should hold runs. */
const mostlyAll = (least: number, most: number) =>
  fc.oneof({ weight: 4, arbitrary: star(least, most) }, { weight: 1, arbitrary: listed(least, most) });

export const drawnCron: fc.Arbitrary<DrawnCron> = fc
  .tuple(field(0, 59), field(0, 23), fc.oneof(mostlyAll(1, 28), stepped(1, 31)), mostlyAll(1, 12), mostlyAll(0, 6))
  .map(([minute, hour, day, month, weekday]) => ({
    text: [minute, hour, day, month, weekday].map(({ text }) => text).join(' '),
    matches: (local) => {
      // A drawn `*` of days is short of the 29th to the 31st.
      const inMonth = day.text === '*' || day.values.has(local.getUTCDate());
      const inWeek = weekday.values.has(local.getUTCDay());
      const either = !day.text.startsWith('*') && !weekday.text.startsWith('*');
      return (
        minute.values.has(local.getUTCMinutes()) &&
        hour.values.has(local.getUTCHours()) &&
        month.values.has(local.getUTCMonth() + 1) &&
        (either ? inMonth || inWeek : inMonth && inWeek)
      );
    },
  }));

/** A zone and an instant at which its clock changes, or an ordinary one. */
export const CHANGES: readonly (readonly [string, string])[] = [
  ['Europe/Rome', '2026-03-29T01:00Z'],
  ['Europe/Rome', '2026-10-25T01:00Z'],
  ['America/New_York', '2026-03-08T07:00Z'],
  ['America/New_York', '2026-11-01T06:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00Z'],
  // Offsets of a half and of three quarters of an hour, which change by a whole one.
  ['Pacific/Chatham', '2026-09-26T14:00Z'],
  ['Pacific/Chatham', '2026-04-04T14:00Z'],
  ['Australia/Adelaide', '2026-10-03T16:30Z'],
  ['Australia/Adelaide', '2026-04-04T16:30Z'],
  ['America/St_Johns', '2026-03-08T05:30Z'],
  ['America/St_Johns', '2026-11-01T04:30Z'],
  ['Asia/Kathmandu', '2026-03-29T01:00Z'],
  ['Pacific/Apia', '2011-12-30T10:00Z'],
  ['Pacific/Apia', '2011-04-02T14:00Z'],
  ['Africa/Cairo', '2026-04-23T22:00Z'],
  ['America/Havana', '2026-11-01T05:00Z'],
  ['America/Caracas', '2016-05-01T07:00Z'],
  ['Asia/Pyongyang', '2018-05-04T15:00Z'],
  ['Antarctica/Troll', '2026-03-29T01:00Z'],
  ['Antarctica/Troll', '2026-10-25T01:00Z'],
  ['Africa/Casablanca', '2026-02-15T02:00Z'],
  ['America/Sao_Paulo', '2018-11-04T03:00Z'],
  ['Asia/Gaza', '2026-03-28T00:00Z'],
  ['UTC', '2028-02-29T00:00Z'],
];

function span(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}
