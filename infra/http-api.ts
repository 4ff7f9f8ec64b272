import { Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { HttpApi, HttpMethod, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
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
    route: '$context.routeKey',
    path: '$context.path',
    status: '$context.status',
    bytes: '$context.responseLength',
    milliseconds: '$context.responseLatency',
    refused: '$context.authorizer.error',
    failed: '$context.integrationErrorMessage',
  }),
);

/** The way in for people and pipelines. Everything asks for a token, the description of the API too. */
export class RengaHttpApi extends Construct {
  readonly url: string;

  constructor(scope: Construct, id: string, names: Names, settings: Settings, api: IFunction) {
    super(scope, id);
    const { jwtIssuer, jwtAudience } = settings;
    if (jwtIssuer === NO_ISSUER) {
      Validations.of(this).addWarning(
        'renga:jwt-issuer',
        'no issuer is named, so the HTTP API will accept nobody: deploy with -c jwtIssuer=https://… -c jwtAudience=…',
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
    httpApi.addRoutes({ path: '/v1/{proxy+}', methods: [HttpMethod.ANY], integration });
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
