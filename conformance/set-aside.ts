/** Cases that are not counted as disagreements: file, then case, then why. A reason says what renga does instead. */
export const SET_ASIDE: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map();
