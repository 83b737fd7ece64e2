/** Our key wherever it stands in a text. */
const KEY = /svc_live_[0-9a-f]{32}/g;

/** Values that look like anybody's secret: what follows `Bearer`, well-known prefixes, fields named after secrets. */
const OTHER_SECRETS = [
  /(?<=\b(?:Bearer|Basic|token) )[^\s"'$`{<,}]{8,}/gi,
  /\b(?:sk|pk|rk|ghp|gho|ghu|ghs|glpat|xox[abp]|npm|hf)[-_][\w-]{8,}/g,
  /(?<=(?:api[_-]?key|token|secret|password|passwd)["']?\s*[:=]\s*["']?)(?!\$)[^\s"',}$]{6,}/gi,
];

export function containsApiKey(text: string): boolean {
  return findApiKeys(text).length > 0;
}

/** The keys of ours in a text, each once. */
export function findApiKeys(text: string): string[] {
  return [...new Set(text.match(KEY))];
}

/** What may be told of a key. */
export function lastFour(key: string): string {
  return key.slice(-4);
}

/** A text fit to be shown: our keys by their last four characters, other secrets not at all. */
export function maskSecrets(text: string): string {
  const own = text.replace(KEY, (key) => `svc_live_…${lastFour(key)}`);
  return OTHER_SECRETS.reduce(
    (shown, pattern) => shown.replace(pattern, (found) => (found.includes('…') ? found : '••••')),
    own,
  );
}
