import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import type { Environment } from '../settings.ts';

/** Text edited in the user's own editor. */
export interface Draft {
  /** The saved text, without the final newline that editors add. */
  text: string;
  /** The file that holds the text until `discard`, so that it is not lost when it cannot be sent. */
  path: string;
  discard(): Promise<void>;
}

/** Returns the editor's command line: `$VISUAL`, `$EDITOR`, or the platform's default. */
function editorCommand({ env, platform }: Environment): string {
  return env.VISUAL || env.EDITOR || (platform === 'win32' ? 'notepad' : 'vi');
}

/**
 * Opens `text` in the editor, in a file that only this user can read, and waits until it is closed. Throws
 * `CommandFailure` if the editor cannot be started or exits with an error, which is how editors abort.
 */
export async function editText(text: string, environment: Environment): Promise<Draft> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-edit-'));
  const path = join(folder, 'memory.md');
  const discard = () => rm(folder, { recursive: true, force: true });
  await writeFile(path, text === '' ? '' : `${text}\n`, { mode: 0o600 });
  const editor = editorCommand(environment);
  const outcome = await run(`${editor} "${path}"`);
  if (outcome !== 'saved') {
    await discard();
    throw new CommandFailure(
      EXIT.failed,
      `${editor}: ${outcome}. Nothing was changed. Set $EDITOR to use another editor.`,
    );
  }
  return { text: (await readFile(path, 'utf8')).replace(/\r?\n$/, ''), path, discard };
}

/** Adds the path of the draft to the error, so that text written in the editor is not lost when it cannot be sent. */
export function withDraftPath(error: Error, { path }: Draft): Error {
  error.message = `${error.message}\nYour text is saved in ${path}`;
  return error;
}

/** Runs in a shell, because `$EDITOR` may contain arguments (`code --wait`). */
function run(commandLine: string): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(commandLine, { shell: true, stdio: 'inherit' });
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(code === 0 ? 'saved' : `exited with ${signal ?? code}`));
  });
}
