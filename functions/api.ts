/** The HTTP API behind API Gateway, whose authorizer has verified the caller before this runs. */
import { handle } from 'hono/aws-lambda';
import { createApp } from '../api/app.ts';
import { gatewayAuthenticator } from '../api/identity/gateway.ts';
import { readEnvironment } from './environment.ts';
import { lambdaPorts } from './on-lambda.ts';

let answer: ReturnType<typeof handle> | undefined;

export const handler: ReturnType<typeof handle> = (event, context) => {
  answer ??= handle(createApp(lambdaPorts(), { authenticate: authenticator(), links: consolePage }));
  return answer(event, context);
};

function authenticator() {
  const environment = readEnvironment(process.env);
  return gatewayAuthenticator({
    administrators: environment.RENGA_ADMINISTRATORS,
    claims: { subject: environment.RENGA_JWT_SUBJECT_CLAIM, groups: environment.RENGA_JWT_GROUPS_CLAIM },
  });
}

/** The execution's page in the AWS console; its region stands in its ARN. */
function consolePage(executionArn: string): string {
  const region = executionArn.split(':')[3] ?? '';
  return `https://${region}.console.aws.amazon.com/states/home?region=${region}#/v2/executions/details/${executionArn}`;
}
