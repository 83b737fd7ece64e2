const MIN_LENGTH = 8;

/**
 * Maps ids to their short forms: the last eight characters, or as many as make the given ids distinct. The end of an id
 * is random; its beginning is a timestamp, shared by everything created at the same time.
 */
export function shortIds(ids: readonly string[]): Map<string, string> {
  const bodies = ids.map((id) => id.replace(/^\w+_/, ''));
  let length = MIN_LENGTH;
  const unique = () => new Set(bodies.map((body) => body.slice(-length))).size === new Set(bodies).size;
  while (length < 32 && !unique()) length += 1;
  return new Map(ids.map((id, index) => [id, bodies[index]!.slice(-length)]));
}

export function shortId(id: string): string {
  return shortIds([id]).get(id)!;
}
