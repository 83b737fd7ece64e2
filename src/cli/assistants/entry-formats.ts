import { ENTRY_NAME, type HttpEntry, type RenderedEntry, type StdioEntry } from './assistant.ts';
import type { JsonObject } from './editing/document.ts';

/** Renders a reference to an environment variable in an assistant's syntax. */
type Reference = (variable: string) => string;

export const shellReference: Reference = (variable) => `\${${variable}}`;
export const envReference: Reference = (variable) => `\${env:${variable}}`;
const braceReference: Reference = (variable) => `{env:${variable}}`;
const secretReference: Reference = (variable) => `\${{ secrets.${variable} }}`;

/** The VS Code input variable that prompts for the key. */
const INPUT_ID = 'svc-api-key';
const inputReference: Reference = () => `\${input:${INPUT_ID}}`;
export const inputSegment = { field: 'id', value: INPUT_ID };

function bearer(key: HttpEntry['key'], reference?: Reference): JsonObject {
  if ('literal' in key) return { Authorization: `Bearer ${key.literal}` };
  return { Authorization: `Bearer ${(reference ?? shellReference)(key.variable)}` };
}

function withEnv(name: string, env: Record<string, string>): JsonObject {
  return Object.keys(env).length === 0 ? {} : { [name]: env };
}

/** Fixed fields, then `command`, `args` and, if not empty, `env`. */
export function commandEntry(fixed: JsonObject = {}) {
  return ({ command, args, env }: StdioEntry): RenderedEntry => ({
    server: { ...fixed, command, args, ...withEnv('env', env) },
  });
}

/** Fixed fields, then the URL (under the name `urlKey`) and headers. */
export function urlEntry(reference?: Reference, fixed: JsonObject = {}, urlKey = 'url') {
  return ({ url, key }: HttpEntry): RenderedEntry => ({
    server: { ...fixed, [urlKey]: url, headers: bearer(key, reference) },
  });
}

/** If the key is not in the file, VS Code prompts for it once and stores it. */
export function vscodeHttp({ url, key }: HttpEntry): RenderedEntry {
  const server = { type: 'http', url, headers: bearer(key, inputReference) };
  if ('literal' in key) return { server };
  const input = { type: 'promptString', id: INPUT_ID, description: 'API key of svc', password: true };
  return { server, input };
}

/** Codex ignores `headers` and refuses an inline bearer token. */
export function codexHttp({ url, key }: HttpEntry): RenderedEntry {
  if ('variable' in key) return { server: { url, bearer_token_env_var: key.variable } };
  return { server: { url, http_headers: bearer(key) } };
}

/** OpenClaw takes a URL without `transport` for the older SSE transport. */
export function openclawHttp(entry: HttpEntry): RenderedEntry {
  return urlEntry(shellReference, { transport: 'streamable-http' })(entry);
}

export function kimiHttp({ url, key }: HttpEntry): RenderedEntry {
  if ('variable' in key) return { server: { transport: 'http', url, bearerTokenEnvVar: key.variable } };
  return { server: { transport: 'http', url, headers: bearer(key) } };
}

export function continueHttp({ url, key }: HttpEntry): RenderedEntry {
  const headers = bearer(key, secretReference);
  return { server: { name: ENTRY_NAME, type: 'streamable-http', url, requestOptions: { headers } } };
}

/** Fields that Goose requires of every extension. */
const GOOSE = { enabled: true, name: ENTRY_NAME, description: 'Persistent memory', timeout: 300 };

export function gooseHttp({ url, key }: HttpEntry): RenderedEntry {
  return { server: { type: 'streamable_http', ...GOOSE, uri: url, headers: bearer(key) } };
}

export function gooseStdio({ command, args, env }: StdioEntry): RenderedEntry {
  return { server: { type: 'stdio', ...GOOSE, cmd: command, args, ...withEnv('envs', env) } };
}

export function opencodeHttp({ url, key }: HttpEntry): RenderedEntry {
  return { server: { type: 'remote', url, headers: bearer(key, braceReference), oauth: false, enabled: true } };
}

export function opencodeStdio({ command, args, env }: StdioEntry): RenderedEntry {
  return {
    server: { type: 'local', command: [command, ...args], ...withEnv('environment', env), enabled: true },
  };
}

/** Format of opencode 2, which has `disabled` instead of `enabled`. */
export const opencode2Stdio = (entry: StdioEntry) => withoutEnabled(opencodeStdio(entry));
export const opencode2Http = (entry: HttpEntry) => withoutEnabled(opencodeHttp(entry));

function withoutEnabled({ server: { enabled, ...server } }: RenderedEntry): RenderedEntry {
  return { server };
}

/** Keys that only one transport uses; removed when an entry changes to the other transport. */
export const STDIO_KEYS = ['command', 'args', 'env', 'env_vars', 'cwd', 'cmd', 'envs', 'env_keys', 'environment'];
export const HTTP_KEYS = ['url', 'serverUrl', 'httpUrl', 'uri', 'headers', 'requestOptions', 'oauth'];

/** Alternative ways to pass the key; removed unless the new entry uses them, so that an entry has only one. */
export const CREDENTIAL_KEYS = [
  'http_headers',
  'env_http_headers',
  'bearer_token_env_var',
  'bearerTokenEnvVar',
  'headersHelper',
];

/** Keys that are written only with a new entry. Afterwards the user may change them, for example to disable svc. */
export const USER_KEYS = ['enabled', 'timeout', 'tools', 'oauth', 'description', 'alwaysLoad'];
