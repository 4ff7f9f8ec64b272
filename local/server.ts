/** The embedded renga behind a loopback port: the HTTP API, and AWS's protocols for whoever wants to look inside. */
import { userInfo } from 'node:os';
import { type ServerType, serve } from '@hono/node-server';
import { createApp } from '../api/app.ts';
import { tokenAuthenticator } from '../api/identity/token.ts';
import { owner } from '../core/access/actor.ts';
import { type CommandPlugin, commandPlugin } from '../plugins/command.ts';
import { awsEndpoint } from './aws-endpoint.ts';
import { systemClock } from './clock.ts';
import { openDataDirectory } from './data-directory.ts';
import { ACCOUNT, type Engine, startEngine } from './engine.ts';
import { SimulatedWorld, simulatedPlugin } from './simulated-plugin.ts';
import { supervisorProgram } from './supervisor/program.ts';
import { TokensFile } from './tokens-file.ts';

export interface ServerOptions {
  /** 0: any free port. */
  readonly port: number;
  readonly dataDirectory: string;
  /** Where commands run, and what their `CWD` is relative to; by default the current directory. */
  readonly workingDirectory?: string;
  readonly report?: (message: string, error: unknown) => void;
}

export interface Server {
  readonly url: string;
  readonly port: number;
  readonly dataDirectory: string;
  readonly tokenFile: string;
  readonly token: string;
  /** Tokens for others, and how many it held at the start. */
  readonly tokensFile: string;
  readonly otherTokens: number;
  readonly engine: Engine;
  /** Ends in order. Jobs that run go on, and the next start finds them. */
  close(): Promise<void>;
}

/** The port can't be had; nothing was started. */
export class PortUnavailable extends Error {
  override readonly name = 'PortUnavailable';
}

const HOST = '127.0.0.1';
/** Names under which a browser or a client reaches this port; any other means that somebody else's page is asking. */
const OWN_HOSTS = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/** Throws {@link PortUnavailable}, or DataDirectoryUnusable. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const me = owner(userInfo().username);
  let answer: (request: Request) => Promise<Response> = async () =>
    new Response('renga is starting', { status: 503, headers: { 'retry-after': '1' } });
  // The port first: a second server must fail before it touches anything.
  const { http, port } = await listen((request) => answer(request), options.port);
  const data = await openDataDirectory(options.dataDirectory).catch(async (error) => {
    await closed(http);
    throw error;
  });

  let command: CommandPlugin | undefined;
  let engine: Engine | undefined;
  const close = async () => {
    await closed(http);
    command?.close();
    await engine?.close();
    await data.close();
  };
  try {
    const supervisor = await supervisorProgram();
    engine = await startEngine({
      storage: data.storage,
      clock: systemClock,
      // Whoever may put events on the bus of this machine is its owner.
      administrators: [`user:${me.subject}`, `pipeline:${ACCOUNT}`],
      ...(options.report !== undefined && { report: options.report }),
      plugins: (host) => {
        command = commandPlugin({
          jobsDirectory: data.jobs,
          workingDirectory: options.workingDirectory ?? process.cwd(),
          supervisor,
          host,
          clock: systemClock,
        });
        return [command, simulatedPlugin(new SimulatedWorld(), systemClock, host)];
      },
    });
    await command?.resume();
  } catch (error) {
    // Nobody else can close what was opened on the way here, and while it is open no other server can start.
    await close();
    throw error;
  }

  const tokens = new TokensFile(
    data.tokensFile,
    { token: data.token, actor: me },
    options.report ?? ((message, error) => process.stderr.write(`${message}: ${String(error)}\n`)),
  );
  const otherTokens = (await tokens.current()).size - 1;
  const app = createApp(engine.ports, {
    authenticate: tokenAuthenticator(() => tokens.current()),
    tokenHint: `send Authorization: Bearer and the token in ${data.tokenFile}`,
  });
  const aws = awsEndpoint(engine.services);
  answer = async (request) => {
    if (!OWN_HOSTS.test(request.headers.get('host') ?? '')) return new Response('unknown host', { status: 421 });
    return (await aws(request)) ?? app.fetch(request);
  };

  return {
    url: `http://${HOST}:${port}`,
    port,
    dataDirectory: data.path,
    tokenFile: data.tokenFile,
    token: data.token,
    tokensFile: data.tokensFile,
    otherTokens,
    engine,
    close,
  };
}

function listen(
  fetch: (request: Request) => Promise<Response>,
  wanted: number,
): Promise<{ http: ServerType; port: number }> {
  return new Promise((resolve, reject) => {
    const http = serve({ fetch, port: wanted, hostname: HOST }, ({ port }) => resolve({ http, port }));
    http.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') {
        reject(
          new PortUnavailable(`port ${wanted} is in use: is renga running already? Choose another with --port`, {
            cause: error,
          }),
        );
      } else if (error.code === 'EACCES') {
        reject(
          new PortUnavailable(`port ${wanted} needs privileges: choose one above 1023 with --port`, { cause: error }),
        );
      } else {
        reject(error);
      }
    });
  });
}

function closed(http: ServerType): Promise<void> {
  return new Promise((resolve) => {
    http.close(() => resolve());
    if ('closeAllConnections' in http) http.closeAllConnections();
  });
}
