import batchGetItem from 'dynalite/actions/batchGetItem.js';
import createTable from 'dynalite/actions/createTable.js';
import deleteItem from 'dynalite/actions/deleteItem.js';
import deleteTable from 'dynalite/actions/deleteTable.js';
import describeTableAction from 'dynalite/actions/describeTable.js';
import getItem from 'dynalite/actions/getItem.js';
import listTables from 'dynalite/actions/listTables.js';
import listTagsOfResource from 'dynalite/actions/listTagsOfResource.js';
import putItem from 'dynalite/actions/putItem.js';
import query from 'dynalite/actions/query.js';
import scan from 'dynalite/actions/scan.js';
import tagResource from 'dynalite/actions/tagResource.js';
import untagResource from 'dynalite/actions/untagResource.js';
import updateItem from 'dynalite/actions/updateItem.js';
import updateTable from 'dynalite/actions/updateTable.js';
import conditionParser from 'dynalite/db/conditionParser.js';
import updateParser from 'dynalite/db/updateParser.js';
import batchGetItemRules from 'dynalite/validations/batchGetItem.js';
import batchWriteItemRules from 'dynalite/validations/batchWriteItem.js';
import createTableRules from 'dynalite/validations/createTable.js';
import deleteItemRules from 'dynalite/validations/deleteItem.js';
import deleteTableRules from 'dynalite/validations/deleteTable.js';
import describeTableRules from 'dynalite/validations/describeTable.js';
import getItemRules from 'dynalite/validations/getItem.js';
import listTablesRules from 'dynalite/validations/listTables.js';
import listTagsOfResourceRules from 'dynalite/validations/listTagsOfResource.js';
import putItemRules from 'dynalite/validations/putItem.js';
import queryRules from 'dynalite/validations/query.js';
import scanRules from 'dynalite/validations/scan.js';
import tagResourceRules from 'dynalite/validations/tagResource.js';
import untagResourceRules from 'dynalite/validations/untagResource.js';
import updateItemRules from 'dynalite/validations/updateItem.js';
import updateTableRules from 'dynalite/validations/updateTable.js';
import { keepParses } from './expression-cache.ts';

keepParses(conditionParser);
keepParses(updateParser);

export type Action = typeof putItem;
type Rules = typeof putItemRules;

/** What dynalite does by itself: how an operation's input is checked, and what carries it out. */
export const dynaliteOperations: ReadonlyMap<string, { readonly rules: Rules; readonly action: Action }> = new Map([
  ['BatchGetItem', { rules: batchGetItemRules, action: batchGetItem }],
  ['CreateTable', { rules: createTableRules, action: createTable }],
  ['DeleteItem', { rules: deleteItemRules, action: deleteItem }],
  ['DeleteTable', { rules: deleteTableRules, action: deleteTable }],
  ['DescribeTable', { rules: describeTableRules, action: describeTableAction }],
  ['GetItem', { rules: getItemRules, action: getItem }],
  ['ListTables', { rules: listTablesRules, action: listTables }],
  ['ListTagsOfResource', { rules: listTagsOfResourceRules, action: listTagsOfResource }],
  ['PutItem', { rules: putItemRules, action: putItem }],
  ['Query', { rules: queryRules, action: query }],
  ['Scan', { rules: scanRules, action: scan }],
  ['TagResource', { rules: tagResourceRules, action: tagResource }],
  ['UntagResource', { rules: untagResourceRules, action: untagResource }],
  ['UpdateItem', { rules: updateItemRules, action: updateItem }],
  ['UpdateTable', { rules: updateTableRules, action: updateTable }],
]);

/** Read by ourselves as well. */
export const describeTable = { rules: describeTableRules, action: describeTableAction };

export { deleteItem, putItem };

/** Checked by dynalite's rules; carried out item by item, so that each item keeps its own lock and batch. */
export const batchWriteRules: Rules = batchWriteItemRules;
