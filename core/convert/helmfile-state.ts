import type { Place } from './place.ts';

/** One state of helmfile, which it works on as a whole: its bases, then its own parts, each on top of the one before. */
export interface State {
  readonly layers: readonly Place[];
  /** What its file says itself. */
  readonly top: Place;
}
