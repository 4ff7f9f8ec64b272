/** Whom the subject of a binding means. */
import type { Actor } from './actor.ts';
import { principalOf, withoutPath } from './principal.ts';

/**
 * Names that the actor answers to, each behind its kind. The kinds are written here and never come out of a name: a user
 * called `group:platform` is `user:group:platform`.
 */
function namesOf({ subject, kind, groups }: Actor): string[] {
  const own = kind === 'user' ? [`user:${subject}`] : pipelineNames(subject).map((name) => `pipeline:${name}`);
  return [...own, ...groups.map((group) => `group:${group}`)];
}

/** An account stands for every source of it that is told apart, so a binding to it holds for those too. */
function pipelineNames(subject: string): string[] {
  const [, account] = /^(\d{12})\/./s.exec(subject) ?? [];
  return account === undefined ? [principalOf(subject)] : [subject, account];
}

/** Tells whether a subject of a binding means the actor: the whole name, or its beginning before a `*` at the end. */
export function subjectTest(actor: Actor): (subject: string) => boolean {
  const names = namesOf(actor);
  const exact = new Set(names);
  return (subject) => {
    if (!subject.endsWith('*')) return exact.has(roleSubject(subject));
    const beginning = subject.slice(0, -1);
    return names.some((name) => name.startsWith(beginning));
  };
}

/**
 * A role of a binding without its path, as its sessions show it. Not where the name ends in `*`: which path the role of a
 * session has is not known, so `role/teams/*` means nobody's session, and `role/ci-*` every role with such a name.
 */
function roleSubject(subject: string): string {
  const prefix = 'pipeline:';
  return subject.startsWith(prefix) ? `${prefix}${withoutPath(subject.slice(prefix.length))}` : subject;
}
