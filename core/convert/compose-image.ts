/** Version of an image's name: its tag, else its digest. `latest`, said or not, is none: it is another image each day. */
export function imageVersion(image: string): string | undefined {
  const [named = '', digest] = image.split('@');
  const tag = /:([^/:]+)$/.exec(named)?.[1];
  if (tag !== undefined && tag !== 'latest') return tag;
  return digest === undefined || digest === '' ? undefined : digest;
}
