import { Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { HttpApi, HttpMethod, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { createLogGroup } from './logs.ts';
import type { Names } from './names.ts';
import { NO_ISSUER, type Settings } from './settings.ts';

/**
 * Requests a second: 50 are one a second from each of 50 people who follow a release, and the burst is a pipeline that
 * submits. Each is at most one concurrent call of about 0.1 s, so 200 stay well below Lambda's 1,000.
 */
const THROTTLE = { rateLimit: 50, burstLimit: 200 } as const;

const ACCESS_LOG = AccessLogFormat.custom(
  JSON.stringify({
    request: '$context.requestId',
    at: '$context.requestTime',
    from: '$context.identity.sourceIp',
    subject: '$context.authorizer.claims.sub',
    principal: '$context.identity.userArn',
    route: '$context.routeKey',
    path: '$context.path',
    status: '$context.status',
    bytes: '$context.responseLength',
    milliseconds: '$context.responseLatency',
    refused: '$context.authorizer.error',
    failed: '$context.integrationErrorMessage',
  }),
);

/**
 * The way in for people and pipelines: with a token under `/v1`, signed with credentials of IAM under `/iam/v1`. Nothing is
 * open, the description of the API neither.
 */
export class RengaHttpApi extends Construct {
  readonly url: string;

  constructor(scope: Construct, id: string, names: Names, settings: Settings, api: IFunction) {
    super(scope, id);
    const { jwtIssuer, jwtAudience } = settings;
    if (jwtIssuer === NO_ISSUER) {
      Validations.of(this).addWarning(
        'renga:jwt-issuer',
        'no issuer is named, so the HTTP API will accept no token, only requests signed by IAM: deploy with -c jwtIssuer=https://… -c jwtAudience=…',
      );
    }
    if (settings.administrators.length === 0) {
      Validations.of(this).addWarning(
        'renga:administrators',
        'no administrator is named, so nobody can give anybody a right: deploy with -c administrators=user:…,group:…,pipeline:…',
      );
    }
    const authorizer = new HttpJwtAuthorizer('Jwt', jwtIssuer, { jwtAudience: [...jwtAudience] });
    const integration = new HttpLambdaIntegration('Api', api);
    const httpApi = new HttpApi(this, 'HttpApi', {
      apiName: names.base,
      description: 'renga: releases of many services in the right order',
      // The stage below is the default one; it logs and throttles.
      createDefaultStage: false,
      defaultAuthorizer: authorizer,
    });
    const methods = [HttpMethod.ANY];
    httpApi.addRoutes({ path: '/v1/{proxy+}', methods, integration });
    httpApi.addRoutes({ path: '/iam/v1/{proxy+}', methods, integration, authorizer: new HttpIamAuthorizer() });
    const stage = new HttpStage(this, 'Stage', {
      httpApi,
      stageName: '$default',
      autoDeploy: true,
      throttle: THROTTLE,
      detailedMetricsEnabled: true,
      accessLogSettings: {
        destination: new LogGroupLogDestination(createLogGroup(this, 'AccessLog', `/aws/vendedlogs/${names.base}-api`)),
        format: ACCESS_LOG,
      },
    });
    this.url = stage.url;
  }
}
