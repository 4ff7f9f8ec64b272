import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Audit } from './audit.ts';
import { Bodies } from './bodies.ts';
import { Callbacks } from './callbacks.ts';
import { Deploys } from './deploys.ts';
import { External } from './external.ts';
import { Inbox } from './inbox.ts';
import { InventoryStore } from './inventory.ts';
import { Lists } from './lists.ts';
import { Releases } from './releases.ts';
import { Schedules } from './schedules.ts';
import { Settings } from './settings.ts';
import { Slots } from './slots.ts';
import { Table } from './table.ts';
import { Turns } from './turns.ts';

/** Everything that renga remembers, by noun. */
export interface Store {
  readonly deploys: Deploys;
  readonly releases: Releases;
  readonly bodies: Bodies;
  readonly inventory: InventoryStore;
  readonly turns: Turns;
  readonly slots: Slots;
  readonly settings: Settings;
  readonly schedules: Schedules;
  readonly external: External;
  readonly inbox: Inbox;
  readonly callbacks: Callbacks;
  readonly audit: Audit;
  readonly lists: Lists;
}

export function openStore(client: DynamoDBClient, tableName: string): Store {
  const table = new Table(client, tableName);
  return {
    deploys: new Deploys(table),
    releases: new Releases(table),
    bodies: new Bodies(table),
    inventory: new InventoryStore(table),
    turns: new Turns(table),
    slots: new Slots(table),
    settings: new Settings(table),
    schedules: new Schedules(table),
    external: new External(table),
    inbox: new Inbox(table),
    callbacks: new Callbacks(table),
    audit: new Audit(table),
    lists: new Lists(table),
  };
}
