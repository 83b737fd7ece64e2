import type { Fetch } from '../../client/client.ts';
import { type EndpointSpaces, endpointIn } from '../bridge/http-transport.ts';
import type { CommandContext, Session } from '../command-context.ts';
import { createHttpFetch } from '../http-fetch.ts';
import { DEFAULT_PROFILE, type Settings } from '../settings.ts';
import { type Assistant, type DesiredEntry, KEY_VARIABLE, type Scope } from './assistant.ts';
import { buildBridgeEntry, type Program } from './bridge-command.ts';

/** The dependencies of `svc mcp-config`. */
export interface McpConfigContext extends Pick<CommandContext, 'terminal' | 'input' | 'environment' | 'session'> {
  fetch?: Fetch;
  settings: Pick<Settings, 'profileName' | 'profile' | 'overrides'>;
  program: Program;
  /** The streams for the checklist, if both are terminals. */
  screen?: { stdin: NodeJS.ReadStream; stderr: NodeJS.WriteStream } | undefined;
}

/** The requested kind of entry, which is the same for every assistant. */
export interface EntryOptions extends EndpointSpaces {
  transport: 'stdio' | 'http';
  scope: Scope;
  /** `oauth`: no key, because the assistant connects with OAuth. */
  keyFrom?: 'literal' | 'env' | 'oauth' | undefined;
  profile?: string | undefined;
}

/** The entry for an assistant, or why the assistant does not support it. */
type BuiltEntry = { entry: DesiredEntry } | { unsupported: string };
export type EntryBuilder = (assistant: Assistant) => Promise<BuiltEntry>;

/** Returns a function that builds entries. It reads the session at most once, and only for HTTP entries. */
export function createEntryBuilder(options: EntryOptions, context: McpConfigContext): EntryBuilder {
  const { environment, program, settings } = context;
  const profile = settings.profileName(options.profile);
  let session: Promise<Session> | undefined;
  let isOffered: Promise<boolean> | undefined;

  async function oauthEntry({ title, oauth }: Assistant): Promise<BuiltEntry> {
    if ((options.space ?? options.spaces) !== undefined)
      return { unsupported: 'OAuth connects to your own account alone: omit --key-from oauth' };
    if (!oauth)
      return { unsupported: `svc does not know whether ${title} can connect with OAuth: omit --key-from oauth` };
    session ??= context.session(options.profile);
    const { url } = await session;
    isOffered ??= offersOAuth(url, context.fetch ?? createHttpFetch());
    if (await isOffered) return { entry: { transport: 'oauth', url: `${url}/v1/mcp` } };
    return { unsupported: `${url} does not offer OAuth, which needs an https address: omit --key-from oauth` };
  }

  async function bridge(assistant: Assistant): Promise<DesiredEntry> {
    const explicitProfile = profile === DEFAULT_PROFILE ? undefined : profile;
    return buildBridgeEntry(assistant, options.scope, environment, program, {
      profile: explicitProfile,
      space: options.space,
      spaces: options.spaces,
    });
  }

  return async (assistant) => {
    if (options.transport === 'stdio') return { entry: await bridge(assistant) };
    const { title } = assistant;
    if (!assistant.http) return { unsupported: `${title} supports only stdio servers: omit --transport http` };
    if (options.keyFrom === 'oauth') return oauthEntry(assistant);
    const keyFrom = options.keyFrom ?? (options.scope === 'project' ? 'env' : 'literal');
    if (keyFrom === 'env' && !assistant.keyReference) return { unsupported: noReferenceMessage(title, options) };
    session ??= context.session(options.profile);
    const { url, apiKey } = await session;
    const key = keyFrom === 'env' ? { variable: KEY_VARIABLE } : { literal: apiKey };
    return { entry: { transport: 'http', url: url + endpointIn(options), key } };
  };
}

/** Whether a daemon has an https address and lets clients connect with OAuth. */
async function offersOAuth(url: string, fetch: Fetch): Promise<boolean> {
  if (!url.startsWith('https:')) return false;
  const response = await fetch(`${url}/.well-known/oauth-authorization-server`, {
    ...{ method: 'GET', headers: {}, redirect: 'manual' },
    signal: AbortSignal.timeout(5000),
  }).catch(() => undefined);
  await response?.text().catch(() => '');
  return response?.ok === true;
}

/** A project's file is often shared, so a key is written to it only on explicit request. */
function noReferenceMessage(title: string, { keyFrom }: EntryOptions): string {
  if (keyFrom === 'env') return `${title} does not expand variables in its configuration: omit --key-from env`;
  return `${title} does not expand variables, and project files are often shared: omit --transport http or pass --key-from literal`;
}
