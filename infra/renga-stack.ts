import { CfnOutput, Stack, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { BusRules, createBus } from './bus-rules.ts';
import { Functions } from './functions.ts';
import { RengaHttpApi } from './http-api.ts';
import { createDeployMachine, MachineGround } from './machines.ts';
import { namesOf } from './names.ts';
import type { Settings } from './settings.ts';
import { createTable } from './table.ts';

/** All of renga in one account and region. Nothing in it runs, or costs, while no release is under way but the sweep. */
export class RengaStack extends Stack {
  constructor(scope: Construct, settings: Settings) {
    const names = namesOf(settings.stage);
    super(scope, names.base, {
      description: `renga (${settings.stage}): releases of many services in the right order`,
      terminationProtection: settings.retain,
    });
    Tags.of(this).add('renga', settings.stage);

    const table = createTable(this, names.base, settings.retain);
    const bus = createBus(this, names.base);
    const ground = new MachineGround(this, 'Machines', names);
    const functions = new Functions(this, 'Functions', {
      names,
      tableArn: table.tableArn,
      busArn: bus.eventBusArn,
      machineRoleArn: ground.releaseRole.roleArn,
      environment: {
        RENGA_TABLE: table.tableName,
        RENGA_BUS: bus.eventBusName,
        RENGA_DEPLOY_MACHINE: names.deployMachineArn,
        RENGA_MACHINE_PREFIX: names.machinePrefix,
        RENGA_MACHINE_ROLE: ground.releaseRole.roleArn,
        RENGA_MACHINE_LOG_GROUP: ground.logGroup.logGroupArn,
        RENGA_MACHINE_TRACING: 'true',
        RENGA_FUNCTION_PREFIX: names.functionPrefix,
        RENGA_ADMINISTRATORS: listed(settings.administrators),
        RENGA_PINNED_SOURCES: listed(settings.pinnedSources),
        RENGA_JWT_SUBJECT_CLAIM: settings.jwtSubjectClaim,
        RENGA_JWT_GROUPS_CLAIM: settings.jwtGroupsClaim,
      },
    });
    const machine = createDeployMachine(this, names, ground, functions);
    new BusRules(this, 'Rules', names, bus, functions);
    const api = new RengaHttpApi(this, 'Api', names, settings, functions.aliases.api);

    new CfnOutput(this, 'ApiUrl', { value: api.url, description: 'Where clients send their requests' });
    new CfnOutput(this, 'TableName', { value: table.tableName, description: 'Everything that renga knows' });
    new CfnOutput(this, 'BusName', { value: bus.eventBusName, description: 'Events about deploys and releases' });
    new CfnOutput(this, 'DeployMachineArn', {
      value: machine.stateMachineArn,
      description: 'The life of every deploy',
    });
  }
}

/** An empty variable is none to Lambda. */
function listed(texts: readonly string[]): string | undefined {
  return texts.length === 0 ? undefined : texts.join(',');
}
