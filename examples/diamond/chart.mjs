/** Draws how much of the whole the even numbers are. */
import { read, sum, write } from './file.mjs';

const whole = sum(read('numbers.txt').trim().split('\n').map(Number));
const part = Number(process.env.EVEN) / whole;
write('chart.txt', `even ${'#'.repeat(Math.round(part * 40)).padEnd(40, '.')} ${(part * 100).toFixed(1)} %\n`);
