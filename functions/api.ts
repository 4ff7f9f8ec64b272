/** The HTTP API behind API Gateway, whose authorizer has verified the caller before this runs. */
import { handle } from 'hono/aws-lambda';
import { createApp } from '../api/app.ts';
import { gatewayAuthenticator } from '../api/identity.ts';
import { lambdaPorts } from './on-lambda.ts';

let answer: ReturnType<typeof handle> | undefined;

export const handler: ReturnType<typeof handle> = (event, context) => {
  answer ??= handle(createApp(lambdaPorts(), { authenticate: gatewayAuthenticator }));
  return answer(event, context);
};
