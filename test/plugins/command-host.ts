/** An engine to be killed: hosts the plugin, starts the requests it is given and writes a line for each end. */
import { writeSync } from 'node:fs';
import { systemClock } from '../../local/clock.ts';
import { commandPlugin } from '../../plugins/command.ts';
import type { PluginRequest } from '../../plugins/contract.ts';

interface Given {
  readonly jobsDirectory: string;
  readonly workingDirectory: string;
  readonly supervisor: string;
  readonly requests: readonly PluginRequest[];
}

const { requests, ...places }: Given = JSON.parse(process.argv[2] ?? '');
const plugin = commandPlugin({
  ...places,
  clock: systemClock,
  host: { ended: (token) => writeSync(1, `ended ${token}\n`) },
});
for (const request of requests) void plugin.start(request).then(() => writeSync(1, 'started\n'));
process.stdin.resume();
