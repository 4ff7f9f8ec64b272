import * as z from 'zod';
export const TimeZone = z.string();
