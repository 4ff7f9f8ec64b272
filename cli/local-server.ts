import { CommandFailure, EXIT } from './failure.ts';
import type { ServerOptions, StartedServer } from './surroundings.ts';

/**
 * Starts the embedded server. Its code is read only now: every other command would wait for an engine that it has no
 * use for. A port or a directory that can't be had is the command line's to change, so it is invalid input.
 */
export async function startLocalServer(options: ServerOptions): Promise<StartedServer> {
  // The SDK speaks to nothing but this process here, and which Node it will ask for next year is no concern of the user.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const [{ PortUnavailable, startServer }, { DataDirectoryUnusable }] = await Promise.all([
    import('../local/server.ts'),
    import('../local/data-directory.ts'),
  ]);
  try {
    return await startServer(options);
  } catch (error) {
    if (error instanceof PortUnavailable) throw new CommandFailure(EXIT.invalid, 'port-unavailable', error.message);
    if (error instanceof DataDirectoryUnusable) {
      throw new CommandFailure(EXIT.invalid, 'data-unusable', error.message);
    }
    throw error;
  }
}
