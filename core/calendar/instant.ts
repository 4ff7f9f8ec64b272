import * as z from 'zod';
export const Instant = z.string();
export function instantOf(text: string): { readonly ms: number; readonly problem?: undefined } | { readonly problem: { code: string; message: string }; readonly ms?: undefined } {
  return { ms: Date.parse(text) };
}
