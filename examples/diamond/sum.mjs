/** Adds up the odd numbers (REST=1) or the even ones (REST=0), if they are the numbers that were meant. */
import { output, read, sha256, sum } from './file.mjs';

const text = read('numbers.txt');
if (sha256(text) !== process.env.NUMBERS_SHA256) {
  console.error('deployed/numbers.txt is not what the deploy of numbers wrote');
  process.exit(1);
}
await new Promise((resolve) => setTimeout(resolve, Number(process.env.TAKES_MS)));
const numbers = text.trim().split('\n').map(Number);
output('sum', sum(numbers.filter((number) => number % 2 === Number(process.env.REST))));
