import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runHookHere } from '../../test/helpers/run-hook.ts';

/** Where an assistant's hooks run: their account, and a folder for the settings and the projects. */
export interface Machine {
  url: string;
  apiKey: string;
  folder: string;
}

/** One session of an assistant in a project's folder, each of whose events runs the hook as the assistant would. */
export interface HookSession {
  /** Returns what the hook adds to what the model reads; empty if nothing. */
  event(name: 'session-start' | 'prompt' | 'stop' | 'session-end', input?: object): Promise<string>;
}

export async function openHookSession(machine: Machine, project: string, files: string[]): Promise<HookSession> {
  const { url, apiKey, folder } = machine;
  const cwd = join(folder, project);
  for (const file of files) {
    const isFolder = file.endsWith('/');
    await mkdir(join(cwd, isFolder ? file : dirname(file)), { recursive: true });
    if (!isFolder) await writeFile(join(cwd, file), '');
  }
  const environment = {
    home: folder,
    platform: process.platform,
    cwd,
    env: { HOME: folder, SVC_CONFIG_DIR: join(folder, 'settings'), SVC_URL: url, SVC_API_KEY: apiKey },
  };
  const session = { session_id: randomUUID(), cwd };
  return {
    async event(name, input = {}) {
      const words = [name, '--client', 'claude-code', '--timeout', '60000', '--debug'];
      const { stdout, stderr } = await runHookHere(words, {
        input: JSON.stringify({ ...session, ...input }),
        environment,
      });
      process.stderr.write(stderr.replace(/^.*nothing to recall\n/m, ''));
      if (stdout === '') return '';
      const answer = JSON.parse(stdout) as { hookSpecificOutput?: { additionalContext?: string } };
      return answer.hookSpecificOutput?.additionalContext ?? '';
    },
  };
}
