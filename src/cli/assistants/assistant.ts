import type { AssistantId } from './assistant-names.ts';
import type { Environment } from './config-paths.ts';
import type { JsonObject, Path } from './editing/document.ts';

/** The name of svc among an assistant's MCP servers. */
export const ENTRY_NAME = 'svc';

/** The path of the entry in the configuration of most assistants. */
export const MCP_SERVERS: Path = ['mcpServers', ENTRY_NAME];

/** The environment variable from which assistants read the key if it is not in the file. */
export const KEY_VARIABLE = 'SVC_API_KEY';

export type Scope = 'user' | 'project';
export type Format = 'json' | 'jsonc' | 'toml' | 'yaml';

/** The bridge (`svc mcp`), started by the assistant as a child process. */
export interface StdioEntry {
  transport: 'stdio';
  command: string;
  args: string[];
  /** Variables that the bridge needs. Some assistants pass on only the ones that are listed. */
  env: Record<string, string>;
}

/** A direct connection to the daemon, with the key in the file or in an environment variable. */
export interface HttpEntry {
  transport: 'http';
  url: string;
  key: { literal: string } | { variable: string };
}

/** The URL alone: the assistant connects with OAuth. */
interface OAuthEntry {
  transport: 'oauth';
  url: string;
}

export type DesiredEntry = StdioEntry | HttpEntry | OAuthEntry;

/** An entry in the format of one assistant: the server object, and anything that belongs elsewhere in the file. */
export interface RenderedEntry {
  server: JsonObject;
  /** The input variable for which VS Code prompts, declared in a separate list. */
  input?: JsonObject;
}

/** How an assistant is set up: where its configuration is, and the format of an entry. */
export interface AssistantSetup {
  id: AssistantId;
  format: Format;
  /** Candidate paths by scope; the first that exists is used, else the first. Absent if the scope is not supported. */
  files: { user(environment: Environment): string[]; project?(environment: Environment): string[] };
  /** The path of the entry in the file. */
  entry: Path;
  /** The path of the input variable in the file, for assistants that prompt for the key (VS Code). */
  input?: Path;
  stdio(entry: StdioEntry): RenderedEntry;
  /** Absent if the assistant supports only stdio servers. */
  http?(entry: HttpEntry): RenderedEntry;
  /** Whether the assistant can connect with OAuth, given the URL alone. */
  oauth?: true;
  /** Whether the assistant can read the key from outside the file, such as from a variable or a prompt. */
  keyReference: boolean;
  /** Files and folders whose existence means that the assistant is installed. */
  markerPaths(environment: Environment): string[];
  /** Commands whose presence on `PATH` means that the assistant is installed. */
  commands: readonly string[];
  /** The assistant is started from the desktop, without the shell's `PATH`, and needs absolute paths to commands. */
  desktop?: true;
  /** Fields that a new file needs in addition to the entry. */
  newFile?: Partial<Record<Scope, JsonObject>>;
  /** Differences for a file in another layout, given its parsed content (opencode 2). */
  variant?(data: unknown): Partial<Pick<AssistantSetup, 'entry' | 'stdio' | 'http'>>;
  /** A note for the user, printed after an entry was written. */
  notes?: Partial<Record<Scope, string>>;
  /** A note printed after an entry was written that refers to the key's variable. */
  keyNote?: string;
}

/** A supported assistant. */
export interface Assistant extends AssistantSetup {
  title: string;
  /** Alternative names that users may type. */
  aliases?: readonly string[];
}

/** Fields of HTTP entries that carry the key, or keep an assistant from using OAuth. */
export const KEY_FIELDS = ['headers', 'http_headers', 'oauth'];

export function renderEntry(assistant: Assistant, entry: DesiredEntry): RenderedEntry | undefined {
  if (entry.transport === 'stdio') return assistant.stdio(entry);
  if (entry.transport === 'http') return assistant.http?.(entry);
  const rendered = assistant.http?.({ ...entry, transport: 'http', key: { literal: '' } });
  return (
    rendered && {
      server: Object.fromEntries(Object.entries(rendered.server).filter(([name]) => !KEY_FIELDS.includes(name))),
    }
  );
}
