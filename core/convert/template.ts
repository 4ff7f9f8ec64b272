/** Text that another tool computes before it means anything: Go templates, and variables of the environment. */

/** Actions that decide what stands in the file at all. What is written between them may be there or not, or often. */
const CONTROL = /\{\{-?\s*(?:if|else|end|range|with|define|block|template|break|continue)\b/;

export function hasTemplate(text: string): boolean {
  return text.includes('{{');
}

/** Where the first action stands that decides about structure; undefined when there is none. */
export function controlAction(text: string): number | undefined {
  const at = text.search(CONTROL);
  return at === -1 ? undefined : at;
}

/** What a value of a Compose file says, `$$` read as `$`; undefined when it takes a variable from the environment. */
export function uninterpolated(text: string): string | undefined {
  if (/\$(?:\{|[A-Za-z_])/.test(text.replaceAll('$$', ''))) return undefined;
  return text.replaceAll('$$', '$');
}
