import type { Place, SourceDocument } from './place.ts';

/** A file that a document names. Includes may not go round in a circle; a part is only looked into. */
export interface Reference {
  readonly kind: 'include' | 'part';
  readonly name: string;
  readonly place: Place;
}

/** A source with every file that it names, already read. */
export interface Sources {
  /** The documents of the file that was given. */
  readonly top: readonly [SourceDocument, ...SourceDocument[]];
  /** Those of the file that is named at a place; undefined when it could not be read, which is a problem already. */
  named(place: Place): readonly SourceDocument[] | undefined;
}
