/** Records as the store takes them, decided by the core, and a store over an engine's table. */
import type { DynamoDBClient, QueryCommandInput } from '@aws-sdk/client-dynamodb';
import type { Deploy, DeployIdentity, DeployState } from '../../core/deploy/deploy.ts';
import { type DeployEvent, recordDeploy, transition } from '../../core/deploy/transition.ts';
import type { Release, ReleaseIdentity } from '../../core/release/release.ts';
import { acceptRelease, type ReleaseEvent, transitionRelease } from '../../core/release/transition.ts';
import { createTable } from '../../local/table.ts';
import { openStore, type Store } from '../../store/store.ts';
import { Table } from '../../store/table.ts';
import type { Engine } from './engines.ts';

const NAME = 'renga';
export const NOW = Date.UTC(2026, 9, 1);
export const FAILURE = { code: 'plugin-failed', message: 'exit code 3' };

export async function storeOver({ client }: Engine): Promise<{ store: Store; table: Table }> {
  await createTable(client, NAME);
  refuseEmptyKeys(client);
  return { store: openStore(client, NAME), table: new Table(client, NAME) };
}

/** AWS refuses an empty text where a query compares a key; neither engine does. */
function refuseEmptyKeys(client: DynamoDBClient): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const { KeyConditionExpression: condition, ExpressionAttributeValues: values } = args.input as QueryCommandInput;
      if (condition !== undefined && Object.values(values ?? {}).some(({ S }) => S === '')) {
        throw new Error(`a query has an empty value in ${condition}`);
      }
      return next(args);
    },
    { step: 'initialize' },
  );
}

export function deployOf(id: string, identity: Partial<DeployIdentity> = {}): Deploy {
  const createdAt = identity.createdAt ?? NOW;
  return recordDeploy(
    {
      id,
      kind: 'deploy',
      application: 'api',
      environment: 'prod',
      artifact: { type: 'application', name: 'api', version: '1.0.0' },
      plugin: 'command',
      timeoutSeconds: 60,
      afterTimeoutSeconds: 60,
      automaticRollback: false,
      after: [],
      waits: false,
      document: 'hash',
      submittedBy: 'ada',
      createdAt,
      ...identity,
    },
    createdAt,
  );
}

const ENDS: Partial<Record<DeployState, readonly DeployEvent[]>> = {
  RUNNING: [{ type: 'started' }],
  SUCCESS: [{ type: 'started' }, { type: 'succeeded' }, { type: 'published', revision: 1 }],
  ERROR: [{ type: 'started' }, { type: 'failed', failure: FAILURE }],
  CANCELLED: [{ type: 'cancel', reason: 'because' }],
};

/** What the core makes of a deploy by one event. */
export function decided(deploy: Deploy, event: DeployEvent, now = NOW + 1): Deploy {
  const answer = transition(deploy, event, 'ada', now);
  if (answer.kind !== 'changed') throw new Error(`${event.type} was ${answer.kind} in ${deploy.status.state}`);
  return answer.next;
}

/** Decides in the store until the deploy is in `state`, from its first state on. */
export async function bring({ deploys }: Store, deploy: Deploy, state: keyof typeof ENDS, revision = 1) {
  let current = deploy;
  for (const event of ENDS[state] ?? []) {
    const next = decided(current, event.type === 'published' ? { ...event, revision } : event);
    const row = await deploys.decide(current, next);
    if (row === undefined) throw new Error(`${deploy.identity.id} was decided by somebody else`);
    current = row.deploy;
  }
  return current;
}

export function releaseOf(id: string, identity: Partial<ReleaseIdentity> = {}): Release {
  return acceptRelease(
    {
      id,
      mode: 'dag',
      start: 'layers',
      onFailure: 'stop',
      document: 'hash',
      deploys: 1,
      submittedBy: 'ada',
      createdAt: NOW,
      ...identity,
    },
    { number: 1, startedAt: NOW, machine: { name: 'm', arn: 'arn:m' }, execution: id },
  );
}

export function decidedRelease(release: Release, event: ReleaseEvent, now = NOW + 1): Release {
  const answer = transitionRelease(release, event, 'ada', now);
  if (answer.kind !== 'changed') throw new Error(`${event.type} was ${answer.kind}`);
  return answer.next;
}
