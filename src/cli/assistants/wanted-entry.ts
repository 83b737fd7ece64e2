import type { CommandContext, Session } from '../command-context.ts';
import { DEFAULT_PROFILE, type Settings } from '../settings.ts';
import { type Assistant, type DesiredEntry, KEY_VARIABLE, type Scope } from './assistant.ts';
import { bridgeEntry, type Program } from './bridge-command.ts';

/** What `svc mcp-config` takes from outside. */
export interface McpConfigContext extends Pick<CommandContext, 'terminal' | 'input' | 'environment' | 'session'> {
  settings: Pick<Settings, 'profileName' | 'profile' | 'overrides'>;
  program: Program;
  /** The streams to draw on, where both ends are a terminal. */
  screen?: { stdin: NodeJS.ReadStream; stderr: NodeJS.WriteStream } | undefined;
}

/** Which entry is asked for, the same for every client. */
export interface EntryChoice {
  transport: 'stdio' | 'http';
  scope: Scope;
  keyFrom?: 'literal' | 'env' | undefined;
  profile?: string | undefined;
}

/** The entry that a client gets, or why it gets none. */
export type WantedEntry = { entry: DesiredEntry } | { refused: string };

/** Makes the entry of each client in turn. The session is read once, and only where an address is written. */
export function createEntryMaker(choice: EntryChoice, context: McpConfigContext) {
  const { environment, program, settings } = context;
  const profile = settings.profileName(choice.profile);
  let session: Promise<Session> | undefined;

  async function bridge(client: Assistant): Promise<DesiredEntry> {
    const named = profile === DEFAULT_PROFILE ? undefined : profile;
    return bridgeEntry(client, choice.scope, environment, program, named);
  }

  return async (client: Assistant): Promise<WantedEntry> => {
    if (choice.transport === 'stdio') return { entry: await bridge(client) };
    const { title } = client;
    if (!client.http) return { refused: `${title} starts processes only: leave out --transport http` };
    const keyFrom = choice.keyFrom ?? (choice.scope === 'project' ? 'env' : 'literal');
    if (keyFrom === 'env' && !client.keyReference) return { refused: withoutReference(title, choice) };
    session ??= context.session(choice.profile);
    const { url, apiKey } = await session;
    const key = keyFrom === 'env' ? { variable: KEY_VARIABLE } : { literal: apiKey };
    return { entry: { transport: 'http', url: `${url}/v1/mcp`, key } };
  };
}

/** A project's file is often shared, so a key goes into it only where that is asked for by name. */
function withoutReference(title: string, { keyFrom }: EntryChoice): string {
  if (keyFrom === 'env') return `${title} reads no variables in its file: leave out --key-from env`;
  return `${title} reads no variables, and a project's file may be shared: use the bridge, or --key-from literal`;
}
