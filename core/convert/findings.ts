import { shown } from '../documents/shown.ts';
import type { Position } from '../documents/source-text.ts';
import type { Problem } from '../errors.ts';
import type { Place } from './place.ts';

/** Something of the source that its release does not say, or says differently. */
export interface Note {
  /** Stable, kebab-case. */
  readonly code: string;
  /** Name of the deploy that it is about; the release as a whole when it is absent. */
  readonly deploy?: string | undefined;
  readonly what: string;
  readonly why: string;
  readonly instead: string;
  readonly position?: Position | undefined;
}

/** A note in one line, without its place. */
export function noteText({ what, why, instead }: Note): string {
  return `${what}: ${why}; ${instead}`.replace(/\s+/g, ' ');
}

/** A note whose deploy is still called as the source calls it. */
export interface RawNote extends Omit<Note, 'deploy'> {
  readonly key?: string | undefined;
}

/** What a converter finds on its way. */
export class Findings {
  readonly notes: RawNote[] = [];
  readonly problems: Problem[] = [];

  note(code: string, place: Place | undefined, key: string | undefined, words: Pick<Note, 'what' | 'why' | 'instead'>) {
    this.notes.push({ code, key, ...words, position: place?.position });
  }

  problem(code: string, place: Place, message: string, hint?: string): void {
    this.problems.push({ code, path: place.path, message, hint, position: place.position });
  }

  /** The items of a field that must be a list; none, and a problem, when it is something else. */
  list(place: Place | undefined): Place[] {
    if (place === undefined || place.isList) return place?.items() ?? [];
    this.problem('wrong-type', place, `this must be a list, not ${shown(place.value)}`);
    return [];
  }

  mapping(place: Place | undefined): [string, Place][] {
    if (place === undefined || place.isMapping) return place?.fields() ?? [];
    this.problem('wrong-type', place, `this must be a mapping, not ${shown(place.value)}`);
    return [];
  }

  /** The text of a field; undefined, and a problem, when it is a mapping or a list. */
  text(place: Place | undefined): string | undefined {
    if (place === undefined || place.text !== undefined) return place?.text;
    this.problem('wrong-type', place, `this must be text, not ${shown(place.value)}`);
    return undefined;
  }

  /** Text that names something, and so is not empty. */
  word(place: Place | undefined): string | undefined {
    const text = this.text(place);
    if (place === undefined || text !== '') return text;
    this.problem('wrong-type', place, 'this must name something, and is empty');
    return undefined;
  }
}
