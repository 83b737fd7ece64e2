import {
  type Assistant,
  type DesiredEntry,
  ENTRY_NAME,
  KEY_VARIABLE,
  renderEntry,
} from '../../../cli/assistants/assistant.ts';
import type { JsonObject } from '../../../cli/assistants/editing/document.ts';
import { entryFor, mcpUrl, type Transport } from './setup.ts';

/** What the page knows of the daemon and the account. */
export interface LinkFacts {
  origin: string;
  /** The key that a sign-in on this page just issued. */
  key?: string | undefined;
  /** Whether clients can connect with OAuth. */
  hasOAuth?: boolean;
}

/**
 * Returns the entry that a link adds: with a key only if it has just been issued here and the assistant has no other way
 * to connect by URL. Undefined if there is none that would work.
 */
export function linkedEntry(
  { oauth, keyReference }: Assistant,
  transport: Transport,
  { origin, key, hasOAuth = false }: LinkFacts,
): DesiredEntry | undefined {
  if (transport === 'stdio') return entryFor('stdio', origin, '');
  const url = mcpUrl(origin);
  if (oauth && hasOAuth) return { transport: 'oauth', url };
  if (key !== undefined) return { transport, url, key: { literal: key } };
  return keyReference ? { transport, url, key: { variable: KEY_VARIABLE } } : undefined;
}

/** Returns a link that adds an entry in the assistant itself; undefined if the assistant has none for it. */
export function installLink(assistant: Assistant, entry: DesiredEntry): string | undefined {
  const rendered = renderEntry(assistant, entry);
  return rendered && LINKS[assistant.id]?.(rendered.server, rendered.input);
}

type Link = (server: JsonObject, input?: JsonObject) => string | undefined;

/** As documented at cursor.com/docs, code.visualstudio.com/api, lmstudio.ai/docs, kiro.dev/docs and in Goose’s source. */
const LINKS: Record<string, Link> = {
  cursor: (server) =>
    `cursor://anysphere.cursor-deeplink/mcp/install?${query({ name: ENTRY_NAME, config: base64(server) })}`,
  vscode: (server, input) =>
    `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: ENTRY_NAME, ...server, ...(input && { inputs: [input] }) }))}`,
  'lm-studio': (server) => `lmstudio://add_mcp?${query({ name: ENTRY_NAME, config: base64(server) })}`,
  kiro: (server) => `kiro://kiro.mcp/add?${query({ name: ENTRY_NAME, config: JSON.stringify(server) })}`,
  goose: gooseLink,
};

/** Goose’s links start only programs that it knows, which svc is not. It decodes the value of a header twice. */
function gooseLink({ type, uri, description, timeout, headers }: JsonObject): string | undefined {
  if (typeof uri !== 'string') return undefined;
  const given = Object.entries((headers ?? {}) as Record<string, string>);
  const header = given.map(([name, value]) => query({ header: `${name}=${encodeURIComponent(value)}` }));
  const fields = { id: ENTRY_NAME, name: ENTRY_NAME, type, url: uri, description, timeout };
  return `goose://extension?${[query(fields), ...header].join('&')}`;
}

/** Writes spaces as `%20`, which every assistant decodes. */
function query(fields: Record<string, unknown>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');
}

/** Encodes JSON that consists of ASCII characters. */
function base64(value: JsonObject): string {
  return btoa(JSON.stringify(value));
}
