import { access, constants, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Environment } from '../settings.ts';
import type { Assistant, Scope, StdioEntry } from './assistant.ts';

/** The program that is running: the Node that runs it and its `bin/svc`, both absolute. */
export interface Program {
  node: string;
  script: string;
}

/** Variables that lead the bridge to the settings, which an assistant may not hand down by itself. */
const PASSED_VARIABLES = ['SVC_CONFIG_DIR', 'XDG_CONFIG_HOME'];

/** The bridge as `assistant` starts it: `svc` where that finds this program, else Node and the script by their paths. */
export async function buildBridgeEntry(
  assistant: Assistant,
  scope: Scope,
  environment: Environment,
  program: Program,
  profile: string | undefined,
): Promise<StdioEntry> {
  const byName = !assistant.desktop && (await isOnPath(environment, program.script));
  const args = ['mcp', ...(profile === undefined ? [] : ['--profile', profile])];
  return {
    transport: 'stdio',
    command: byName ? 'svc' : program.node,
    args: byName ? args : [program.script, ...args],
    env: scope === 'user' ? passedVariables(environment) : {},
  };
}

/** A project's file is other people's too, so only the user's own names folders of this machine. */
function passedVariables({ env, cwd }: Environment): Record<string, string> {
  const set = PASSED_VARIABLES.filter((name) => env[name]);
  return Object.fromEntries(set.slice(0, 1).map((name) => [name, resolve(cwd, env[name]!)]));
}

/** True where a bare `svc` starts `script`. On Windows it would be a `.cmd`, which most assistants cannot start. */
async function isOnPath(environment: Environment, script: string): Promise<boolean> {
  if (environment.platform === 'win32') return false;
  const found = await findCommand(environment, 'svc');
  if (found === undefined) return false;
  const [own, other] = await Promise.all([realpath(script).catch(() => script), realpath(found)]);
  return own === other;
}

/** The first file on the search path that `name` would start. */
export async function findCommand({ env, platform }: Environment, name: string): Promise<string | undefined> {
  const windows = platform === 'win32';
  const folders = (env.PATH ?? env.Path ?? '').split(windows ? ';' : ':').filter((folder) => folder !== '');
  const names = windows ? ['.exe', '.cmd', '.bat'].map((ending) => name + ending) : [name];
  for (const path of folders.flatMap((folder) => names.map((file) => join(folder, file)))) {
    const usable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (usable) return path;
  }
  return undefined;
}
