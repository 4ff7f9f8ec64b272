/** The audit: one row a decision, append-only, keyed by its sequence number, so that writing it twice is writing it once. */

import * as z from 'zod';
import { Decision } from '../core/deploy/deploy.ts';
import { type Key, keys } from './schema.ts';
import type { Table } from './table.ts';

export const About = z.object({ application: z.string(), environment: z.string() });
export type About = z.infer<typeof About>;

/** What a row is about: a deploy or a release by its id, a schedule, or a document by the key that it is kept under. */
interface Owner {
  readonly kind: 'deploy' | 'release' | 'schedule' | 'environment' | 'access' | 'pipeline';
  readonly id: string;
}

export interface AuditRow {
  readonly owner: Owner;
  readonly decision: Decision;
  readonly about?: About;
}

const KINDS: Readonly<Record<string, Owner['kind']>> = { D: 'deploy', R: 'release', S: 'schedule', E: 'environment' };

function ownerOf(pk: string): Owner {
  if (pk === 'ACCESS') return { kind: 'access', id: '' };
  if (pk === 'PIPELINE') return { kind: 'pipeline', id: '' };
  const kind = KINDS[pk.slice(0, pk.indexOf('#'))];
  if (kind === undefined) throw new Error(`nothing under ${pk} has an audit`);
  return { kind, id: pk.slice(pk.indexOf('#') + 1) };
}

export class Audit {
  constructor(private readonly table: Table) {}

  /** `about`: the place that the owner concerns, where it is one. */
  async append(owner: Key, decisions: readonly Decision[], about?: About): Promise<void> {
    await this.table.writeMany(
      decisions.map((decision) => {
        const key = keys.audit(owner, decision.seq);
        const listed = { list: 'audit', listAt: `${new Date(decision.at).toISOString()}#${key.pk}#${key.sk}` };
        return { ...key, type: 'audit', ...listed, ...(about !== undefined && { about }), ...decision };
      }),
    );
  }

  /** Rows by the keys that a list gave, in its order. */
  async rows(found: readonly Key[]): Promise<AuditRow[]> {
    const items = await this.table.getMany(found);
    const order = new Map(found.map(({ pk, sk }, index) => [`${pk} ${sk}`, index]));
    return items
      .sort((one, other) => (order.get(`${one.pk} ${one.sk}`) ?? 0) - (order.get(`${other.pk} ${other.sk}`) ?? 0))
      .map((item) => ({
        owner: ownerOf(item.pk),
        decision: Decision.parse(item),
        ...(item.about !== undefined && { about: About.parse(item.about) }),
      }));
  }

  async of(owner: Key): Promise<Decision[]> {
    const decisions: Decision[] = [];
    for await (const item of this.table.partition(owner.pk, 'AUDIT#')) decisions.push(Decision.parse(item));
    return decisions;
  }
}
