import { access, constants, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { EndpointSpaces } from '../bridge/http-transport.ts';
import type { Environment } from '../settings.ts';
import type { Assistant, Scope, StdioEntry } from './assistant.ts';

/** The running program: absolute paths of the Node executable and of `bin/svc`. */
export interface Program {
  node: string;
  script: string;
}

/** Variables that locate the settings. Assistants do not always pass them on to the bridge. */
const FORWARDED_VARIABLES = ['SVC_CONFIG_DIR', 'XDG_CONFIG_HOME'];

/** Builds the entry that starts the bridge: as `svc` if that resolves to this program, else by absolute paths. */
export async function buildBridgeEntry(
  assistant: Assistant,
  scope: Scope,
  environment: Environment,
  program: Program,
  { profile, space, spaces }: { profile?: string | undefined } & EndpointSpaces = {},
): Promise<StdioEntry> {
  const byName = !assistant.desktop && (await isOnPath(environment, program.script));
  const args = [
    'mcp',
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(space === undefined ? [] : ['--space', space]),
    ...(spaces === undefined ? [] : ['--spaces', spaces]),
  ];
  return {
    transport: 'stdio',
    command: byName ? 'svc' : program.node,
    args: byName ? args : [program.script, ...args],
    // A project’s file may be shared, so only user configuration mentions paths on this machine.
    env: scope === 'user' ? forwardedVariables(environment) : {},
  };
}

/** Returns the variables that locate the settings, by absolute paths. */
export function forwardedVariables({ env, cwd }: Environment): Record<string, string> {
  const set = FORWARDED_VARIABLES.filter((name) => env[name]);
  return Object.fromEntries(set.slice(0, 1).map((name) => [name, resolve(cwd, env[name]!)]));
}

/** Whether `svc` on `PATH` is `script`. On Windows it is a `.cmd` file, which most assistants cannot start. */
async function isOnPath(environment: Environment, script: string): Promise<boolean> {
  if (environment.platform === 'win32') return false;
  const found = await findCommand(environment, 'svc');
  if (found === undefined) return false;
  const [running, onPath] = await Promise.all([realpath(script).catch(() => script), realpath(found)]);
  return running === onPath;
}

/** Resolves a command name to the first executable file on `PATH`. */
export async function findCommand({ env, platform }: Environment, name: string): Promise<string | undefined> {
  const windows = platform === 'win32';
  const folders = (env.PATH ?? env.Path ?? '').split(windows ? ';' : ':').filter((folder) => folder !== '');
  const names = windows ? ['.exe', '.cmd', '.bat'].map((extension) => name + extension) : [name];
  for (const path of folders.flatMap((folder) => names.map((file) => join(folder, file)))) {
    const usable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (usable) return path;
  }
  return undefined;
}
