/** The command line, plain HTTP and AWS's own protocols tell of one release; what they tell must agree. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeExecutionCommand, GetExecutionHistoryCommand, SFNClient } from '@aws-sdk/client-sfn';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReleaseView } from '../api/contract.ts';
import { type Server, startServer } from '../local/server.ts';
import { renga } from './local/server-process.ts';

let folder: string;
let server: Server;
let stepFunctions: SFNClient;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'renga-agreement-'));
  server = await startServer({ port: 0, dataDirectory: join(folder, 'data'), workingDirectory: folder });
  const credentials = { accessKeyId: 'x', secretAccessKey: 'x' };
  stepFunctions = new SFNClient({ region: 'local-1', endpoint: server.url, credentials, maxAttempts: 1 });
});
afterAll(async () => {
  stepFunctions.destroy();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const release = (id: string, failing?: string) => ({
  apiVersion: 'renga/v1',
  kind: 'Release',
  id,
  deploys: ['db', 'api', 'web'].map((name, index, names) => ({
    name,
    after: names.slice(Math.max(0, index - 1), index),
    descriptor: {
      apiVersion: 'renga/v1',
      application: name,
      environment: 'prod',
      artifact: { type: 'application', name, version: id },
      deploy: {
        plugin: 'command',
        params: { COMMAND: ['/bin/sh', '-c', `echo ${id}.${name} >> order; exit ${name === failing ? 3 : 0}`] },
      },
    },
  })),
});

async function http(path: string, body?: unknown) {
  const answer = await fetch(`${server.url}/v1${path}`, {
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: answer.status, view: (await answer.json()) as ReleaseView };
}

const states = ({ deploys }: ReleaseView) => deploys.map(({ id, state }) => [id, state]);

let aws: string | undefined;
try {
  aws = execFileSync('aws', ['--version'], { encoding: 'utf8' });
} catch {
  console.log('The `aws` command is not on PATH: what it shows is not compared. The SDK over HTTP is.');
}

function awsCommand(...args: string[]): Promise<Record<string, unknown>> {
  const environment = { ...process.env, AWS_REGION: 'local-1', AWS_ENDPOINT_URL: server.url };
  return new Promise((resolve, reject) => {
    const all = ['--endpoint-url', server.url, '--region', 'local-1', '--output', 'json', ...args];
    execFile('aws', all, { env: environment, maxBuffer: 1 << 26 }, (error, stdout) =>
      error === null ? resolve(JSON.parse(stdout)) : reject(error),
    );
  });
}

describe.each([
  { id: 'good', failing: undefined, state: 'SUCCESS', exit: 0, ran: ['db', 'api', 'web'] },
  { id: 'bad', failing: 'api', state: 'ERROR', exit: 3, ran: ['db', 'api'] },
])('a release that ends $state', ({ id, failing, state, exit, ran }) => {
  let told: ReleaseView;
  let arn: string;
  beforeAll(async () => {
    const file = join(folder, `${id}.json`);
    writeFileSync(file, JSON.stringify(release(id, failing)));
    const asked = ['--server', server.url, '--token', server.token, '--json'];
    const { code, stdout, stderr } = await renga([...asked, 'release', 'submit', '-f', file], folder).ended;
    expect({ code, stderr }).toMatchObject({ code: exit });
    told = JSON.parse(stdout) as ReleaseView;
    arn = (await http(`/releases/${id}`)).view.execution.arn;
  });

  it('is the same to the command line and to HTTP, also when it is submitted again', async () => {
    expect(told).toMatchObject({ id, state });
    const { status, view } = await http('/releases', release(id, failing));
    expect(status).toBe(200);
    expect(view).toEqual((await http(`/releases/${id}`)).view);
    expect(view).toMatchObject({ id: told.id, state: told.state });
    expect(states(view)).toEqual(states(told));
    expect(view.error).toEqual(told.error);
    const ordered = readFileSync(join(folder, 'order'), 'utf8').split('\n');
    expect(ordered.filter((line) => line.startsWith(`${id}.`))).toEqual(ran.map((name) => `${id}.${name}`));
  });

  it('is the same to Step Functions, whose branches were entered in the order of the deploys', async () => {
    const execution = await stepFunctions.send(new DescribeExecutionCommand({ executionArn: arn }));
    expect(execution.status).toBe(failing === undefined ? 'SUCCEEDED' : 'FAILED');
    const { events = [] } = await stepFunctions.send(new GetExecutionHistoryCommand({ executionArn: arn }));
    const entered = events.flatMap(({ stateEnteredEventDetails: details }) => details?.name ?? []);
    expect(entered.filter((name) => ['db', 'api', 'web'].includes(name))).toEqual(ran);
    if (failing !== undefined) {
      expect(execution.error).toBeDefined();
      expect(`${execution.error} ${execution.cause}`).toContain(failing);
      expect(JSON.stringify(told.error)).toContain(failing);
    }
  });

  it.runIf(aws !== undefined)(
    'is the same to the `aws` command',
    async () => {
      const described = await awsCommand('stepfunctions', 'describe-execution', '--execution-arn', arn);
      const { status, error, cause } = await stepFunctions.send(new DescribeExecutionCommand({ executionArn: arn }));
      expect([described.status, described.error, described.cause]).toEqual([status, error, cause]);
      const history = await awsCommand('stepfunctions', 'get-execution-history', '--execution-arn', arn);
      const { events } = await stepFunctions.send(new GetExecutionHistoryCommand({ executionArn: arn }));
      expect((history.events as { type: string }[]).map(({ type }) => type)).toEqual(events?.map(({ type }) => type));
      const machine = String(described.stateMachineArn);
      const { executions } = await awsCommand('stepfunctions', 'list-executions', '--state-machine-arn', machine);
      expect(executions).toContainEqual(expect.objectContaining({ executionArn: arn, status }));
      const scan = (await awsCommand('dynamodb', 'scan', '--table-name', 'renga')) as { Items: Record<string, Wire>[] };
      const head = scan.Items.find(({ pk, sk }) => pk?.S === `R#${id}` && sk?.S === 'HEAD');
      expect(head?.listState?.S).toBe(`release#${state}`);
      const rules = await awsCommand('events', 'list-rules', '--event-bus-name', 'renga');
      expect(rules.Rules).toContainEqual(expect.objectContaining({ Name: 'deploy-concluded' }));
    },
    60_000,
  );
});

interface Wire {
  readonly S?: string;
}
