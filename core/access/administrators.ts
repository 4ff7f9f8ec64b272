/** Administrators come from the operator's configuration, never from a document, a token or what was stored. */
import * as z from 'zod';
import { Subject } from '../documents/access.ts';
import type { Actor } from './actor.ts';
import { subjectTest } from './subject.ts';

/** `user:ada,group:platform`, or a list of such. A `*` would let everybody in who can get a token at all. */
export const Administrators = z
  .string()
  .transform((text) => text.split(',').map((each) => each.trim()))
  .or(z.array(z.string()))
  .pipe(z.array(Subject.refine((subject) => !subject.endsWith('*'), 'must name one each, without *')).max(100));

/** The actor as an administrator or not, as the configuration of now says: one that was stored may have been so once. */
export function withAdministrators(administrators: readonly string[], actor: Actor): Actor {
  const { subject, kind, groups } = actor;
  const plain: Actor = { subject, kind, groups };
  return administrators.some(subjectTest(plain)) ? { ...plain, administrator: true } : plain;
}
