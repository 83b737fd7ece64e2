import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';

/** A real pseudo-terminal with a shell, to type into and read from. */
export interface TestTerminal {
  /** Types text; a line break is Enter. */
  type(text: string): Promise<void>;
  /** Presses a key by its tmux name: `C-c`, `BSpace`, `Left`. */
  press(key: string): Promise<void>;
  /** The current screen without colors and trailing blanks. */
  screen(): Promise<string>;
  /** The current screen with its escape sequences. */
  colors(): Promise<string>;
  /** Polls for up to ten seconds until the text appears, and returns the screen. */
  sees(words: string | RegExp): Promise<string>;
  close(): Promise<void>;
}

export interface TerminalOptions {
  /** The complete environment of the shell, besides PATH and TERM. */
  env: Record<string, string>;
  columns?: number;
  rows?: number;
}

const PATIENCE_MS = 10_000;

/** Opens a terminal in its own tmux server, which ends with it. */
export async function openTerminal({ env, columns = 80, rows = 24 }: TerminalOptions): Promise<TestTerminal> {
  const socket = `svc-test-${randomUUID()}`;
  const tmux = (...words: string[]) => execa('tmux', ['-L', socket, '-f', '/dev/null', ...words]);
  const variables = Object.entries({ PATH: process.env.PATH ?? '', TERM: 'screen-256color', PS1: '$ ', ...env });
  const shell = ['env', '-i', ...variables.map(([name, value]) => `${name}=${value}`), 'sh'];
  await tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), ...shell);

  const screen = async () => (await tmux('capture-pane', '-p')).stdout.trimEnd();
  return {
    async type(text) {
      for (const line of text.split(/(\n)/)) {
        if (line === '\n') await tmux('send-keys', 'Enter');
        else if (line !== '') await tmux('send-keys', '-l', line);
      }
    },
    press: async (key) => void (await tmux('send-keys', key)),
    screen,
    colors: async () => (await tmux('capture-pane', '-p', '-e')).stdout,
    async sees(words) {
      let seen = '';
      for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await sleep(50)) {
        seen = await screen();
        if (typeof words === 'string' ? seen.includes(words) : words.test(seen)) return seen;
      }
      throw new Error(`Not seen within ten seconds: ${words}\n${seen}`);
    },
    close: async () => void (await tmux('kill-server').catch(() => {})),
  };
}
