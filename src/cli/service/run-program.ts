import { execFile, spawn } from 'node:child_process';
import type { Environment } from '../settings.ts';

/** How a program ended. */
export interface Ran {
  /** 127 if the program is missing. */
  code: number;
  out: string;
  error: string;
}

/** Runs a program without a shell. It is ended after a minute, or `timeoutMs`. */
export type RunProgram = (command: string, args: readonly string[], options?: { timeoutMs?: number }) => Promise<Ran>;

const TIMEOUT_MS = 60_000;

export function createRunProgram({ env }: Pick<Environment, 'env'>): RunProgram {
  return (command, args, { timeoutMs = TIMEOUT_MS } = {}) =>
    new Promise((resolve) => {
      const options = { env: { ...env, LC_ALL: 'C' }, timeout: timeoutMs, windowsHide: true };
      execFile(command, args, options, (error, out, errorText) => {
        const code = error === null ? 0 : error.code === 'ENOENT' ? 127 : Number(error.code) || 1;
        resolve({ code, out, error: errorText.trim() || (error?.message ?? '') });
      });
    });
}

/** Runs a program and passes on what it prints, until it ends or `signal` aborts. Returns its exit code. */
export function streamProgram(
  command: string,
  args: readonly string[],
  { env, signal, onText }: Pick<Environment, 'env'> & { signal: AbortSignal; onText: (text: string) => void },
): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.setEncoding('utf8').on('data', onText);
    signal.addEventListener('abort', () => child.kill(), { once: true });
    child.once('error', () => resolve(127));
    child.once('close', (code) => resolve(code ?? 0));
  });
}
