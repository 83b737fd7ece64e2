import { access } from 'node:fs/promises';
import type { Environment } from '../settings.ts';
import type { Assistant, Scope } from './assistant.ts';
import { ASSISTANTS } from './assistant-table.ts';
import { findCommand } from './bridge-command.ts';
import { readConfigFile } from './config-file.ts';
import { ConfigFault, isObject } from './editing/document.ts';
import { keysIn } from './key-text.ts';
import { findFile } from './plan-change.ts';
import { readEntry } from './write-entry.ts';

/** Our entry as it stands in a file. */
export interface FoundEntry {
  transport: 'stdio' | 'http' | 'unknown';
  /** Where it leads: an address, or a command line. */
  leadsTo: string;
  /** Keys of ours that stand in it; more than one only where somebody put them there. */
  keys: string[];
}

/** One file of a client, looked at. */
export interface FoundFile {
  client: Assistant;
  scope: Scope;
  path: string;
  entry?: FoundEntry;
  /** Why the file could not be looked at. */
  fault?: string;
}

/** True where something of the client is on this machine: its folder, its file or its command. */
export async function isInstalled(client: Assistant, environment: Environment): Promise<boolean> {
  const traces = await Promise.all(
    client.traces(environment).map((path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  if (traces.includes(true)) return true;
  for (const command of client.commands) if (await findCommand(environment, command)) return true;
  return false;
}

/** The clients that are installed, in the order of the table. */
export async function installedAssistants(environment: Environment): Promise<Assistant[]> {
  const installed = await Promise.all(ASSISTANTS.map((client) => isInstalled(client, environment)));
  return ASSISTANTS.filter((_, index) => installed[index]);
}

/**
 * The files of one client, for the user and for the project (which are one where the command runs in the home folder);
 * a file that is not there has no entry.
 */
export async function lookAtFiles(client: Assistant, environment: Environment): Promise<FoundFile[]> {
  const user = await lookAt(client, 'user', environment);
  if (!client.files.project) return [user];
  const project = await lookAt(client, 'project', environment);
  return project.path === user.path ? [user] : [user, project];
}

async function lookAt(client: Assistant, scope: Scope, environment: Environment): Promise<FoundFile> {
  const fallback = client.files[scope]?.(environment)[0] ?? '';
  try {
    const path = (await findFile(client, scope, environment)) ?? fallback;
    const { text = '' } = await readConfigFile(path);
    const { server } = readEntry(client, text.replace(/^\ufeff/, ''));
    return { client, scope, path, ...(server !== undefined && { entry: describe(server) }) };
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error;
    return { client, scope, path: fallback, fault: error.message };
  }
}

function describe(server: unknown): FoundEntry {
  const { url, serverUrl, uri, command, cmd, args } = isObject(server) ? server : {};
  const keys = keysIn(JSON.stringify(server));
  const address = [url, serverUrl, uri].find((value) => typeof value === 'string');
  if (address !== undefined) return { transport: 'http', leadsTo: String(address), keys };
  const words = [command, cmd, args].flat().filter((word) => typeof word === 'string');
  return { transport: words.length > 0 ? 'stdio' : 'unknown', leadsTo: words.join(' '), keys };
}
