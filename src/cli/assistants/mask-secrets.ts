const SVC_KEY = /svc_live_[0-9a-f]{32}|svc_dev_[\w-]{43}/g;

/** Values that look like secrets: after `Bearer`, with a well-known prefix, or in a field such as `token`. */
const OTHER_SECRETS = [
  /(?<=\b(?:Bearer|Basic|token) )[^\s"'$`{<,}]{8,}/gi,
  /\b(?:sk|pk|rk|ghp|gho|ghu|ghs|glpat|xox[abp]|npm|hf)[-_][\w-]{8,}/g,
  /(?<=(?:api[_-]?key|token|secret|password|passwd)["']?\s*[:=]\s*["']?)(?!\$)[^\s"',}$]{6,}/gi,
];

export function containsApiKey(text: string): boolean {
  return findApiKeys(text).length > 0;
}

/** Returns the distinct svc keys, and tokens of devices, in a text. */
export function findApiKeys(text: string): string[] {
  return [...new Set(text.match(SVC_KEY))];
}

/** The part of a key that may be shown. */
export function lastFour(key: string): string {
  return key.slice(-4);
}

/** Masks secrets for display: svc keys except their last four characters, other secrets completely. */
export function maskSecrets(text: string): string {
  const keysMasked = text.replace(SVC_KEY, (key) => `${/^svc_[a-z]+_/.exec(key)![0]}…${lastFour(key)}`);
  return OTHER_SECRETS.reduce(
    (masked, pattern) => masked.replace(pattern, (secret) => (secret.includes('…') ? secret : '••••')),
    keysMasked,
  );
}
