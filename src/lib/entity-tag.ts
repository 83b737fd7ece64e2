/** Whether `If-Match` holds for a state: strong comparison (RFC 9110, section 13.1.1). */
export function matchesStrongly(header: string, etag: string): boolean {
  return tagsIn(header).some((tag) => tag === '*' || tag === etag);
}

/** Whether `If-None-Match` names this state: weak comparison (RFC 9110, section 13.1.2). */
export function matchesWeakly(header: string, etag: string): boolean {
  return tagsIn(header).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
}

/** The strong entity tag of a thing whose version rises with each of its changes. */
export function versionTagOf({ version, updatedAt }: { version: number; updatedAt: string }): string {
  return `"${version}-${Date.parse(updatedAt).toString(36)}"`;
}

function tagsIn(header: string): string[] {
  return header.match(/(?:W\/)?"[^"]*"|\*/g) ?? [];
}
