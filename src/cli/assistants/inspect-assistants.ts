import { access } from 'node:fs/promises';
import { isObject } from '../../lib/is-object.ts';
import type { Environment } from '../settings.ts';
import type { Assistant, Scope } from './assistant.ts';
import { ASSISTANTS } from './assistant-table.ts';
import { findCommand } from './bridge-command.ts';
import { readConfigFile } from './config-file.ts';
import { ConfigFileError } from './editing/document.ts';
import { findApiKeys } from './mask-secrets.ts';
import { findFile } from './plan-change.ts';
import { readEntry } from './write-entry.ts';

/** An existing svc entry in a configuration file. */
export interface ConfiguredEntry {
  transport: 'stdio' | 'http' | 'unknown';
  /** The URL or the command line. */
  leadsTo: string;
  /** The command with its arguments; empty unless it is a stdio entry. */
  command: string[];
  /** The svc keys in the entry; more than one only if somebody added them by hand. */
  keys: string[];
}

/** The result of inspecting one configuration file. */
export interface InspectedFile {
  assistant: Assistant;
  scope: Scope;
  path: string;
  entry?: ConfiguredEntry;
  /** Why the file could not be read. */
  error?: string;
}

/** Whether the assistant's folder, file or command exists on this machine. */
async function isInstalled(assistant: Assistant, environment: Environment): Promise<boolean> {
  const markers = await Promise.all(
    assistant.markerPaths(environment).map((path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  if (markers.includes(true)) return true;
  for (const command of assistant.commands) if (await findCommand(environment, command)) return true;
  return false;
}

/** Lists the installed assistants in table order. */
export async function findInstalledAssistants(environment: Environment): Promise<Assistant[]> {
  const installed = await Promise.all(ASSISTANTS.map((assistant) => isInstalled(assistant, environment)));
  return ASSISTANTS.filter((_, index) => installed[index]);
}

/**
 * Inspects the user and project files of an assistant, which can be the same file if the command runs in the home
 * folder. A file that does not exist has no entry.
 */
export async function inspectFiles(assistant: Assistant, environment: Environment): Promise<InspectedFile[]> {
  const user = await inspectFile(assistant, 'user', environment);
  if (!assistant.files.project) return [user];
  const project = await inspectFile(assistant, 'project', environment);
  return project.path === user.path ? [user] : [user, project];
}

async function inspectFile(assistant: Assistant, scope: Scope, environment: Environment): Promise<InspectedFile> {
  const fallback = assistant.files[scope]?.(environment)[0] ?? '';
  try {
    const path = (await findFile(assistant, scope, environment)) ?? fallback;
    const { text = '' } = await readConfigFile(path);
    const { server } = readEntry(assistant, text.replace(/^\ufeff/, ''));
    return { assistant, scope, path, ...(server !== undefined && { entry: toConfiguredEntry(server) }) };
  } catch (error) {
    if (!(error instanceof ConfigFileError)) throw error;
    return { assistant, scope, path: fallback, error: error.message };
  }
}

function toConfiguredEntry(server: unknown): ConfiguredEntry {
  const { url, serverUrl, httpUrl, uri, command, cmd, args } = isObject(server) ? server : {};
  // Whole numbers in TOML are bigints, which JSON does not have.
  const keys = findApiKeys(JSON.stringify(server, (_, value) => (typeof value === 'bigint' ? `${value}` : value)));
  const address = [url, serverUrl, httpUrl, uri].find((value) => typeof value === 'string');
  if (address !== undefined) return { transport: 'http', leadsTo: String(address), command: [], keys };
  const words = [command, cmd, args].flat().filter((word) => typeof word === 'string');
  return { transport: words.length > 0 ? 'stdio' : 'unknown', leadsTo: words.join(' '), command: words, keys };
}
