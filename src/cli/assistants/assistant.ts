import type { Environment } from '../settings.ts';
import type { Editor, JsonObject, Path } from './editing/document.ts';
import { jsoncEditor } from './editing/edit-jsonc.ts';
import { tomlEditor } from './editing/edit-toml.ts';
import { yamlEditor } from './editing/edit-yaml.ts';

/** The name under which svc stands among an assistant's servers. */
export const ENTRY_NAME = 'svc';

/** Where most assistants keep it. */
export const MCP_SERVERS: Path = ['mcpServers', ENTRY_NAME];

/** The variable that a assistant's own reference reads the key from. */
export const KEY_VARIABLE = 'SVC_API_KEY';

export type Scope = 'user' | 'project';
export type Format = 'json' | 'jsonc' | 'toml' | 'yaml';

/** The bridge as a process that the assistant starts. */
export interface StdioEntry {
  transport: 'stdio';
  command: string;
  args: string[];
  /** Variables that the bridge needs and that some assistants hand down only where they are listed. */
  env: Record<string, string>;
}

/** The daemon's own address; the key stands in the file, or the assistant reads it from a variable of that name. */
export interface HttpEntry {
  transport: 'http';
  url: string;
  key: { literal: string } | { variable: string };
}

export type DesiredEntry = StdioEntry | HttpEntry;

/** An entry as one assistant's file spells it: the server's own object, and what must stand elsewhere beside it. */
export interface RenderedEntry {
  server: JsonObject;
  /** VS Code's question for the key, which stands in a list of its own. */
  question?: JsonObject;
}

/** One assistant: where its servers stand and how an entry looks. */
export interface Assistant {
  id: string;
  /** Other names that people try. */
  aliases?: readonly string[];
  title: string;
  format: Format;
  /** Candidates: the first that exists is used, else the first. Absent where there is no such scope. */
  files: { user(environment: Environment): string[]; project?(environment: Environment): string[] };
  /** Where the entry stands in the file. */
  entry: Path;
  /** Where the question for the key stands, for the one assistant that asks itself. */
  question?: Path;
  stdio(entry: StdioEntry): RenderedEntry;
  /** Absent: this assistant starts processes only. */
  http?(entry: HttpEntry): RenderedEntry;
  /** The assistant can read the key from somewhere else than the file. */
  keyReference: boolean;
  /** Files or folders that only an installed assistant leaves, and commands that come with it. */
  traces(environment: Environment): string[];
  commands: readonly string[];
  /** Started from the desktop with a search path of its own, so that it finds no bare command name. */
  desktop?: true;
  /** What a new file of this assistant must say besides. */
  newFile?: Partial<Record<Scope, JsonObject>>;
  /** What the person has to know after an entry was written. */
  notes?: Partial<Record<Scope, string>>;
}

const EDITORS: Record<Format, Editor> = {
  json: jsoncEditor(true),
  jsonc: jsoncEditor(false),
  toml: tomlEditor,
  yaml: yamlEditor,
};

export function editorFor({ format }: Assistant): Editor {
  return EDITORS[format];
}

export function renderEntry(assistant: Assistant, entry: DesiredEntry): RenderedEntry | undefined {
  return entry.transport === 'http' ? assistant.http?.(entry) : assistant.stdio(entry);
}
