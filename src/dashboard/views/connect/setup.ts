import { type Assistant, type DesiredEntry, KEY_VARIABLE } from '../../../cli/assistants/assistant.ts';
import type { Environment } from '../../../cli/assistants/config-paths.ts';

export const SYSTEMS = ['macos', 'linux', 'windows'] as const;
export type System = (typeof SYSTEMS)[number];

/** How an assistant reaches svc: by starting `svc mcp`, or over HTTP with the key. */
export type Transport = Exclude<DesiredEntry['transport'], 'oauth'>;

/** Shown in place of the key when the page does not know it. */
export const KEY_PLACEHOLDER = 'svc_live_<your key>';

const ENVIRONMENTS: Record<System, Environment> = {
  macos: { home: '~', platform: 'darwin', cwd: '.', env: {} },
  linux: { home: '~', platform: 'linux', cwd: '.', env: {} },
  windows: { home: '%USERPROFILE%', platform: 'win32', cwd: '.', env: { APPDATA: '%APPDATA%' } },
};

/** Returns the path of the assistant's configuration file for one user of a system. */
export function configPath(assistant: Assistant, system: System): string {
  return assistant.files.user(ENVIRONMENTS[system])[0]!;
}

/** Guesses the reader's system from `navigator.platform`. */
export function systemOf(platform: string): System {
  if (/^(Mac|iP)/.test(platform)) return 'macos';
  return platform.startsWith('Win') ? 'windows' : 'linux';
}

/** Returns the entry that connects to the daemon at `origin`. */
export function entryFor(transport: Transport, origin: string, key: string): DesiredEntry {
  if (transport === 'stdio') return { transport, command: 'svc', args: ['mcp'], env: {} };
  return { transport, url: mcpUrl(origin), key: { literal: key } };
}

/**
 * Returns the command that writes the entry. It uses the key of the terminal; with `key`, that one instead, for HTTP
 * entries only.
 */
export function setupCommand(
  { id }: Assistant,
  transport: Transport,
  system: System,
  given?: { origin: string; key: string },
): string {
  const command = `svc mcp-config ${id}${transport === 'http' ? ' --transport http' : ''}`;
  if (!given || transport === 'stdio') return command;
  const variables = { SVC_URL: given.origin, [KEY_VARIABLE]: given.key };
  return system === 'windows'
    ? [...Object.entries(variables).map(([name, value]) => `$env:${name}='${value}'`), command].join('; ')
    : [...Object.entries(variables).map(([name, value]) => `${name}=${value}`), command].join(' ');
}

export function mcpUrl(origin: string): string {
  return `${origin}/v1/mcp`;
}

/** Masks all of a key but its prefix and last four characters. */
export function maskKey(last4: string): string {
  return `svc_live_${'•'.repeat(12)}${last4}`;
}
