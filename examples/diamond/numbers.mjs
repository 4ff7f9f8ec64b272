/** Writes some numbers, the same every time. */
import { output, sha256, sum, write } from './file.mjs';

const numbers = [];
for (let number = 1; numbers.length < Number(process.env.COUNT); number = (number * 75 + 74) % 65537)
  numbers.push(number);
const text = `${numbers.join('\n')}\n`;
write('numbers.txt', text);
output('sha256', sha256(text));
output('sum', sum(numbers));
