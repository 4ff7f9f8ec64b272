/** Numbers that YAML 1.1 readers, still the majority, see in what YAML 1.2 calls text. */
const OLD_NUMBERS = [
  // A prefix without a digit is a number to nobody.
  /^[-+]?0b_*[01][01_]*$/,
  /^[-+]?0o?_*[0-7][0-7_]*$/,
  /^[-+]?0x_*[\dA-Fa-f][\dA-Fa-f_]*$/,
  /^[-+]?\d[\d_]*(\.[\d_]*)?([eE][-+]?\d+)?$/,
  /^[-+]?\.\d[\d_]*([eE][-+]?\d+)?$/,
];
const SEXAGESIMAL = /^[-+]?\d[\d_]*(:[0-5]?\d)+(\.[\d_]*)?$/;
const TIMESTAMP = /^\d{4}-\d\d?-\d\d?([Tt]|[ \t]+|$)/;

/**
 * What a YAML reader makes of unquoted text, when that is not what stands there: `1.10` is 1.1, `0123` is 123 or 83,
 * `2026-10-12` is a date to some. Undefined when every reader agrees with the eye. `no`, `on` and `yes` are text.
 */
export function misreading(source: string, value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') {
    return String(value) === source ? undefined : `the ${typeof value} ${String(value)}`;
  }
  if (typeof value !== 'string') return undefined;
  if (SEXAGESIMAL.test(source)) return 'a number in base 60';
  if (TIMESTAMP.test(source)) return 'a date';
  return OLD_NUMBERS.some((number) => number.test(source)) ? 'a number' : undefined;
}
