import type { CommandContext, Session } from '../command-context.ts';
import { DEFAULT_PROFILE, type Settings } from '../settings.ts';
import { type Assistant, type DesiredEntry, KEY_VARIABLE, type Scope } from './assistant.ts';
import { buildBridgeEntry, type Program } from './bridge-command.ts';

/** What `svc mcp-config` takes from outside. */
export interface McpConfigContext extends Pick<CommandContext, 'terminal' | 'input' | 'environment' | 'session'> {
  settings: Pick<Settings, 'profileName' | 'profile' | 'overrides'>;
  program: Program;
  /** The streams to draw on, where both ends are a terminal. */
  screen?: { stdin: NodeJS.ReadStream; stderr: NodeJS.WriteStream } | undefined;
}

/** Which entry is asked for, the same for every assistant. */
export interface EntryOptions {
  transport: 'stdio' | 'http';
  scope: Scope;
  keyFrom?: 'literal' | 'env' | undefined;
  profile?: string | undefined;
}

/** The entry that a assistant gets, or why it gets none. */
export type BuiltEntry = { entry: DesiredEntry } | { refused: string };

/** Makes the entry of each assistant in turn. The session is read once, and only where an address is written. */
export function createEntryBuilder(choice: EntryOptions, context: McpConfigContext) {
  const { environment, program, settings } = context;
  const profile = settings.profileName(choice.profile);
  let session: Promise<Session> | undefined;

  async function bridge(assistant: Assistant): Promise<DesiredEntry> {
    const named = profile === DEFAULT_PROFILE ? undefined : profile;
    return buildBridgeEntry(assistant, choice.scope, environment, program, named);
  }

  return async (assistant: Assistant): Promise<BuiltEntry> => {
    if (choice.transport === 'stdio') return { entry: await bridge(assistant) };
    const { title } = assistant;
    if (!assistant.http) return { refused: `${title} starts processes only: leave out --transport http` };
    const keyFrom = choice.keyFrom ?? (choice.scope === 'project' ? 'env' : 'literal');
    if (keyFrom === 'env' && !assistant.keyReference) return { refused: withoutReference(title, choice) };
    session ??= context.session(choice.profile);
    const { url, apiKey } = await session;
    const key = keyFrom === 'env' ? { variable: KEY_VARIABLE } : { literal: apiKey };
    return { entry: { transport: 'http', url: `${url}/v1/mcp`, key } };
  };
}

/** A project's file is often shared, so a key goes into it only where that is asked for by name. */
function withoutReference(title: string, { keyFrom }: EntryOptions): string {
  if (keyFrom === 'env') return `${title} reads no variables in its file: leave out --key-from env`;
  return `${title} reads no variables, and a project's file may be shared: use the bridge, or --key-from literal`;
}
