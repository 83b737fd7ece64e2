import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { CommandContext } from '../../src/cli/command-context.ts';
import { parseHookLine } from '../../src/cli/hook/hook-line.ts';
import { runHook } from '../../src/cli/hook/run-hook.ts';
import { openSettings } from '../../src/cli/settings.ts';
import { systemClock } from '../../src/lib/clock.ts';

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
    await mkdir(join(cwd, file, '..'), { recursive: true });
    if (file.endsWith('/')) await mkdir(join(cwd, file), { recursive: true });
    else await writeFile(join(cwd, file), '');
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
      let output = '';
      const context: CommandContext = {
        terminal: {
          out(text) {
            output += text;
          },
          error(text) {
            if (!text.includes('nothing to recall')) process.stderr.write(text);
          },
          isTty: false,
          errorIsTty: false,
          columns: 80,
          color: false,
          closed: new AbortController().signal,
        },
        input: {
          isTty: false,
          stream: Readable.from([Buffer.from(JSON.stringify({ ...session, ...input }))]),
          ask: () => Promise.reject(new Error('a hook asks nothing')),
        },
        environment,
        settingsFolder: openSettings(environment).folder,
        clock: systemClock,
        session: () => Promise.reject(new Error('a hook opens its own session')),
        stopSignal: () => new Promise(() => {}),
      };
      await runHook(parseHookLine([name, '--client', 'claude-code', '--timeout', '60000', '--debug']), context, 0);
      if (output === '') return '';
      const answer = JSON.parse(output) as { hookSpecificOutput?: { additionalContext?: string } };
      return answer.hookSpecificOutput?.additionalContext ?? '';
    },
  };
}
