/** The `renga` command. */
import { processSurroundings } from './process-surroundings.ts';
import { run } from './run.ts';

// Whoever reads our output may have seen enough: `renga log … | head`.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}

// The code and not the end: what is still being written to a pipe must arrive.
process.exitCode = await run(process.argv.slice(2), processSurroundings());
