/** Builds `dist/`, the command that package.json names. */
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.ts';

await bundle(fileURLToPath(new URL('../dist', import.meta.url)));
