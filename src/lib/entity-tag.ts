/** Whether `If-Match` matches this entity tag: strong comparison (RFC 9110, section 13.1.1). */
export function matchesStrongly(header: string, etag: string): boolean {
  return tagsIn(header).some((tag) => tag === '*' || tag === etag);
}

/** Whether `If-None-Match` matches this entity tag: weak comparison (RFC 9110, section 13.1.2). */
export function matchesWeakly(header: string, etag: string): boolean {
  return tagsIn(header).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
}

/** The strong entity tag of a resource whose version increases with every change. */
export function versionTagOf({ version, updatedAt }: { version: number; updatedAt: string }): string {
  return `"${version}-${Date.parse(updatedAt).toString(36)}"`;
}

function tagsIn(header: string): string[] {
  return header.match(/(?:W\/)?"[^"]*"|\*/g) ?? [];
}
