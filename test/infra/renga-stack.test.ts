import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../../functions/environment.ts';
import { FUNCTION_NAMES } from '../../statemachines/functions.ts';
import { INDEXES } from '../../store/schema.ts';
import { ISSUED, synthesized } from './synthesized.ts';

const prod = synthesized();
const propertiesOf = (type: string) => [...prod.of(type).values()].map(({ Properties }) => Properties);
const only = (type: string, stack = prod) => {
  const [first, ...others] = stack.of(type).values();
  if (first === undefined || others.length > 0) throw new Error(`there are ${others.length + 1} of ${type}, or none`);
  return first;
};

describe('the table', () => {
  it('has the indexes that the store reads, with keys only', () => {
    expect(only('AWS::DynamoDB::Table').Properties.GlobalSecondaryIndexes).toEqual(
      Object.values(INDEXES).map(({ name, partition, sort }) => ({
        IndexName: name,
        KeySchema: [
          { AttributeName: partition, KeyType: 'HASH' },
          { AttributeName: sort, KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      })),
    );
  });

  it('sorts each index as the store does', () => {
    const types = new Map(Object.values(INDEXES).map(({ sort, sortType }) => [sort, sortType]));
    const attributes = only('AWS::DynamoDB::Table').Properties.AttributeDefinitions;
    for (const [AttributeName, AttributeType] of types) {
      expect(attributes).toContainEqual({ AttributeName, AttributeType });
    }
  });

  it('outlives its stack and can be read back to any second of the last weeks', () => {
    expect(only('AWS::DynamoDB::Table')).toMatchObject({
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        SSESpecification: { SSEEnabled: true },
        BillingMode: 'PAY_PER_REQUEST',
      },
    });
  });

  it('goes with its stack where somebody only tries renga out', () => {
    expect(only('AWS::DynamoDB::Table', synthesized({ ...ISSUED, retain: 'false' }))).toMatchObject({
      DeletionPolicy: 'Delete',
      Properties: { DeletionProtectionEnabled: false },
    });
  });
});

describe('functions', () => {
  const variables = (stack = prod): Record<string, unknown>[] =>
    [...stack.of('AWS::Lambda::Function').values()].map(
      ({ Properties }) => (Properties.Environment as { Variables: Record<string, unknown> }).Variables,
    );

  it('all know the administrators, the pinned sources and the claims', () => {
    const context = { ...ISSUED, pinnedSources: ['123456789012/com.example.ci'], jwtGroupsClaim: 'teams' };
    const all = variables(synthesized(context));
    expect(all).toHaveLength(FUNCTION_NAMES.length);
    for (const each of all) {
      expect(each).toMatchObject({
        RENGA_ADMINISTRATORS: 'user:ada,group:platform',
        RENGA_PINNED_SOURCES: '123456789012/com.example.ci',
        RENGA_JWT_SUBJECT_CLAIM: 'sub',
        RENGA_JWT_GROUPS_CLAIM: 'teams',
      });
    }
  });

  it('have no variable that says nothing, and can read those that they have', () => {
    for (const stack of [prod, synthesized({})]) {
      for (const each of variables(stack)) {
        const texts = Object.fromEntries(Object.entries(each).map(([name, value]) => [name, String(value)]));
        expect(Object.values(texts)).not.toContain('');
        expect(() => readEnvironment(texts)).not.toThrow();
        // Lambda's limit for all of them, names and values; lists may have 2,000 more.
        expect(Object.entries(texts).flat().join('').length).toBeLessThan(4_096 - 2_000);
      }
    }
  });

  it('are one for each name, behind the alias that definitions call', () => {
    const names = propertiesOf('AWS::Lambda::Function').map(({ FunctionName }) => FunctionName);
    expect(names.sort()).toEqual(FUNCTION_NAMES.map((name) => `renga-prod-${name}`).sort());
    const aliases = propertiesOf('AWS::Lambda::Alias');
    expect(aliases).toHaveLength(FUNCTION_NAMES.length);
    expect(new Set(aliases.map(({ Name }) => Name))).toEqual(new Set(['live']));
  });

  it('run traced, on the runtime and architecture that we bundle for, and log where logs end', () => {
    for (const each of propertiesOf('AWS::Lambda::Function')) {
      expect(each).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        TracingConfig: { Mode: 'Active' },
        LoggingConfig: { LogFormat: 'JSON', LogGroup: expect.stringMatching(/^Functions/) },
      });
    }
    for (const group of propertiesOf('AWS::Logs::LogGroup')) expect(group.RetentionInDays).toBe(90);
  });
});

describe('rules', () => {
  const rules = propertiesOf('AWS::Events::Rule');

  it('are those of the bus, on ours or on the default one', () => {
    expect(rules.map(({ Name, EventBusName }) => [Name, EventBusName !== undefined])).toEqual(
      expect.arrayContaining([
        ['renga-prod-deploy-concluded', true],
        ['renga-prod-execution-ended', false],
        ['renga-prod-sweep', false],
        ['renga-prod-pipeline-reported', true],
        ['renga-prod-submission-requested', true],
        ['renga-prod-pipeline-changed', false],
        ['renga-prod-machine-changed', false],
        ['renga-prod-event-refused', true],
      ]),
    );
    expect(rules).toHaveLength(8);
  });

  it('look for the executions of our machines alone', () => {
    expect(rules.find(({ Name }) => Name === 'renga-prod-execution-ended')).toMatchObject({
      EventPattern: {
        detail: {
          stateMachineArn: [
            { prefix: 'arn:aws:states:eu-west-1:111122223333:stateMachine:renga-prod-deploy' },
            { prefix: 'arn:aws:states:eu-west-1:111122223333:stateMachine:renga-prod-r-' },
          ],
        },
      },
    });
  });

  it('keep what they could not deliver, each in a queue of its own', () => {
    const calling = rules.filter(({ Name }) => Name !== 'renga-prod-event-refused');
    const queues = calling.map(({ Targets }) => {
      expect(Targets).toEqual([
        expect.objectContaining({ DeadLetterConfig: expect.anything(), RetryPolicy: expect.anything() }),
      ]);
      return JSON.stringify(Targets).match(/"DeadLetterConfig":\{"Arn":"(\w+)\.Arn"\}/)?.[1];
    });
    const all = [...prod.of('AWS::SQS::Queue').keys()].filter((id) => !id.includes('RefusedEvents'));
    expect(new Set(queues)).toEqual(new Set(all));
    expect(new Set(queues).size).toBe(calling.length);
  });

  it('keep what was delivered and could not be run in a queue of a rule that calls the function', () => {
    const kept = propertiesOf('AWS::Lambda::EventInvokeConfig');
    expect(kept.map(({ FunctionName }) => FunctionName).length).toBe(5);
    const queues = [...prod.of('AWS::SQS::Queue').keys()].map((queue) => `${queue}.Arn`);
    for (const { DestinationConfig } of kept) {
      const { OnFailure } = DestinationConfig as { OnFailure: { Destination: string } };
      expect(queues).toContain(OnFailure.Destination);
      expect(OnFailure.Destination).not.toContain('RefusedEvents');
    }
  });

  it('keep the events that renga refused, for somebody to look at', () => {
    const [refused] = [...prod.of('AWS::SQS::Queue').keys()].filter((id) => id.includes('RefusedEvents'));
    expect(rules.find(({ Name }) => Name === 'renga-prod-event-refused')).toMatchObject({
      EventPattern: { source: ['renga'], 'detail-type': ['Event Refused'] },
      Targets: [{ Arn: `${refused}.Arn` }],
    });
  });

  it('sweep every minute, without trying a sweep again that the next one does anyway', () => {
    expect(rules.find(({ Name }) => Name === 'renga-prod-sweep')).toMatchObject({
      ScheduleExpression: 'rate(1 minute)',
      Targets: [{ RetryPolicy: { MaximumRetryAttempts: 0 } }],
    });
  });
});

describe('the HTTP API', () => {
  it('asks for a token under /v1 and for a signature under /iam/v1, and has no other route', () => {
    const [[authorizer] = []] = prod.of('AWS::ApiGatewayV2::Authorizer');
    const routes = propertiesOf('AWS::ApiGatewayV2::Route');
    expect(routes).toHaveLength(2);
    expect(routes).toContainEqual(
      expect.objectContaining({ RouteKey: 'ANY /v1/{proxy+}', AuthorizationType: 'JWT', AuthorizerId: authorizer }),
    );
    expect(routes).toContainEqual(
      expect.objectContaining({ RouteKey: 'ANY /iam/v1/{proxy+}', AuthorizationType: 'AWS_IAM' }),
    );
    const allowed = propertiesOf('AWS::Lambda::Permission').map(({ SourceArn }) => String(SourceArn));
    for (const path of ['/*/*/v1/{proxy+}', '/*/*/iam/v1/{proxy+}']) {
      expect(allowed.filter((arn) => arn.endsWith(path))).toHaveLength(1);
    }
  });

  it('takes tokens of the issuer and audiences that the context names', () => {
    expect(only('AWS::ApiGatewayV2::Authorizer').Properties).toMatchObject({
      AuthorizerType: 'JWT',
      JwtConfiguration: { Issuer: 'https://login.example.org/', Audience: ['people', 'pipelines'] },
    });
  });

  it('lets nobody in while no issuer is named', () => {
    expect(only('AWS::ApiGatewayV2::Authorizer', synthesized({})).Properties).toMatchObject({
      JwtConfiguration: { Issuer: 'https://issuer.invalid' },
    });
  });

  it('logs who asked for what, and slows down who asks too often', () => {
    expect(only('AWS::ApiGatewayV2::Stage').Properties).toMatchObject({
      AccessLogSettings: {
        DestinationArn: expect.stringContaining('AccessLog'),
        Format: expect.stringContaining('$context.authorizer.claims.sub'),
      },
      DefaultRouteSettings: { ThrottlingRateLimit: 50, ThrottlingBurstLimit: 200 },
    });
  });
});

describe('a stage', () => {
  it('names all of its own', () => {
    const text = JSON.stringify(synthesized({ ...ISSUED, stage: 'trial' }).template.toJSON());
    expect(text).toContain('renga-trial-');
    expect(text).not.toContain('renga-prod');
  });

  it('says where everything is', () => {
    expect(Object.keys(prod.template.findOutputs('*')).sort()).toEqual([
      'ApiUrl',
      'BusName',
      'DeployMachineArn',
      'TableName',
    ]);
  });
});
