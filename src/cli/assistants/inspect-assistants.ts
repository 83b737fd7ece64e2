import { access } from 'node:fs/promises';
import type { Environment } from '../settings.ts';
import type { Assistant, Scope } from './assistant.ts';
import { ASSISTANTS } from './assistant-table.ts';
import { findCommand } from './bridge-command.ts';
import { readConfigFile } from './config-file.ts';
import { ConfigFileError, isObject } from './editing/document.ts';
import { findApiKeys } from './mask-secrets.ts';
import { findFile } from './plan-change.ts';
import { readEntry } from './write-entry.ts';

/** Our entry as it stands in a file. */
export interface ConfiguredEntry {
  transport: 'stdio' | 'http' | 'unknown';
  /** Where it leads: an address, or a command line. */
  leadsTo: string;
  /** Keys of ours that stand in it; more than one only where somebody put them there. */
  keys: string[];
}

/** One file of a assistant, looked at. */
export interface InspectedFile {
  assistant: Assistant;
  scope: Scope;
  path: string;
  entry?: ConfiguredEntry;
  /** Why the file could not be looked at. */
  fault?: string;
}

/** True where something of the assistant is on this machine: its folder, its file or its command. */
export async function isInstalled(assistant: Assistant, environment: Environment): Promise<boolean> {
  const traces = await Promise.all(
    assistant.traces(environment).map((path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  if (traces.includes(true)) return true;
  for (const command of assistant.commands) if (await findCommand(environment, command)) return true;
  return false;
}

/** The assistants that are installed, in the order of the table. */
export async function findInstalledAssistants(environment: Environment): Promise<Assistant[]> {
  const installed = await Promise.all(ASSISTANTS.map((assistant) => isInstalled(assistant, environment)));
  return ASSISTANTS.filter((_, index) => installed[index]);
}

/**
 * The files of one assistant, for the user and for the project (which are one where the command runs in the home folder);
 * a file that is not there has no entry.
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
    return { assistant, scope, path, ...(server !== undefined && { entry: describe(server) }) };
  } catch (error) {
    if (!(error instanceof ConfigFileError)) throw error;
    return { assistant, scope, path: fallback, fault: error.message };
  }
}

function describe(server: unknown): ConfiguredEntry {
  const { url, serverUrl, uri, command, cmd, args } = isObject(server) ? server : {};
  const keys = findApiKeys(JSON.stringify(server));
  const address = [url, serverUrl, uri].find((value) => typeof value === 'string');
  if (address !== undefined) return { transport: 'http', leadsTo: String(address), keys };
  const words = [command, cmd, args].flat().filter((word) => typeof word === 'string');
  return { transport: words.length > 0 ? 'stdio' : 'unknown', leadsTo: words.join(' '), keys };
}
