import { App } from 'aws-cdk-lib';
import { addRenga } from './renga-app.ts';

addRenga(new App());
