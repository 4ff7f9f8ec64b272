import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { RengaStack } from './renga-stack.ts';
import { readSettings } from './settings.ts';

/** The stack that an app's context asks for, and the checks that it has to pass. */
export function addRenga(app: App): RengaStack {
  const settings = readSettings((key) => app.node.tryGetContext(key));
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return new RengaStack(app, settings);
}
