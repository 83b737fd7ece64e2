const LEAST = 8;

/**
 * Short forms of ids for people: the last characters, which are random (the first ones are the time, alike in all that
 * came together), eight of them or as many as tell the given ids apart.
 */
export function shortIds(ids: readonly string[]): Map<string, string> {
  const bodies = ids.map((id) => id.replace(/^\w+_/, ''));
  let length = LEAST;
  const unique = () => new Set(bodies.map((body) => body.slice(-length))).size === new Set(bodies).size;
  while (length < 32 && !unique()) length += 1;
  return new Map(ids.map((id, index) => [id, bodies[index]!.slice(-length)]));
}

export function shortId(id: string): string {
  return shortIds([id]).get(id)!;
}
