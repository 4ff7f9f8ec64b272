/** Everything outside of the program that the CLI touches: a test gives its own, and nothing else is read or written. */

export interface Output {
  write(text: string): void;
  /** Whether a person looks at it, who can be shown colours and lines that change. */
  readonly isTTY: boolean;
  /** Of the terminal as it is now: it may be resized at any time. */
  readonly columns: number;
  readonly rows: number;
}

export interface StartedServer {
  readonly url: string;
  readonly dataDirectory: string;
  readonly tokenFile: string;
  /** Tokens for others than the owner, and how many there are. */
  readonly tokensFile: string;
  readonly otherTokens: number;
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly port: number;
  readonly dataDirectory: string;
}

export interface Surroundings {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. */
  now(): number;
  /** Ends after that many milliseconds, or as soon as the signal is aborted; it never throws. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  fetch(request: Request): Promise<Response>;
  readFile(path: string): Promise<string>;
  writeFile(path: string, text: string): Promise<void>;
  /** A file that its owner alone may read, with the directories above it; whole or not at all. */
  writePrivate(path: string, text: string): Promise<void>;
  /** The whole standard input. */
  readInput(): Promise<string>;
  /** Calls back at SIGINT and SIGTERM, which then don't end the process, until the returned function is called. */
  onInterrupt(listener: () => void): () => void;
  /** Throws a CommandFailure when the port or the data directory can't be had. */
  startServer(options: ServerOptions): Promise<StartedServer>;
}
