/** Both halves together are the whole, or this fails. */
import { read, sum, write } from './file.mjs';

const odd = Number(process.env.ODD);
const even = Number(process.env.EVEN);
const whole = sum(read('numbers.txt').trim().split('\n').map(Number));
if (odd + even !== whole) {
  console.error(`odd numbers make ${odd} and even ones ${even}: ${odd + even} together, and not ${whole}`);
  process.exit(1);
}
write('report.json', `${JSON.stringify({ odd, even, whole }, null, 2)}\n`);
