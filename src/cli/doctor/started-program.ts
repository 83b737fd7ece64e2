import { access, realpath } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { findCommand } from '../assistants/bridge-command.ts';
import type { Environment } from '../settings.ts';

/** The program that a command line starts, as its first or second word. */
export type StartedProgram = { missing: string } | { path: string };

/** Finds the program of a command line: `svc` on the `PATH`, or the script that an absolute path to Node.js starts. */
export async function findStarted(words: readonly string[], environment: Environment): Promise<StartedProgram> {
  const [program = '', script = ''] = words;
  const found = isAbsolute(program) ? (await exists(program)) && program : await findCommand(environment, program);
  if (!found) return { missing: program };
  if (!isAbsolute(script)) return { path: found };
  return (await exists(script)) ? { path: script } : { missing: script };
}

/** Whether two paths lead to the same file. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([one, other].map((path) => realpath(path).catch(() => path)));
  return first === second;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
