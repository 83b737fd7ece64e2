/** Compares major, minor and patch. A prerelease is older than its release. */
export function isNewer(version: string, than: string): boolean {
  const parts = (text: string) => [...(text.split('-')[0] ?? '').split('.').map(Number), text.includes('-') ? 0 : 1];
  const [a, b] = [parts(version), parts(than)];
  const index = a.findIndex((part, at) => part !== b[at]);
  return index >= 0 && (a[index] ?? 0) > (b[index] ?? 0);
}
