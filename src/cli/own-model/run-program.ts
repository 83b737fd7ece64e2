import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { textLines } from '../text-lines.ts';

export interface ProgramCall {
  path: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Ends the program and everything that it started. */
  signal: AbortSignal;
  /** Called with each line of its output that is a JSON object. */
  onEvent(event: Record<string, unknown>): void;
}

export interface ProgramEnd {
  /** `null` if a signal ended it. */
  code: number | null;
  /** The last line that it wrote besides events, for a person. */
  lastLine: string;
}

/** How long a program has to end on its own. */
const GRACE_MS = 2000;
const MAX_ERROR_CHARACTERS = 4000;

/** Runs a program in its own process group, without a shell and without input. */
export async function runProgram({ path, args, cwd, env, signal, onEvent }: ProgramCall): Promise<ProgramEnd> {
  const child = spawn(path, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true, windowsHide: true });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  ended.catch(() => {});
  let isOver = false;
  const endGroup = (name: NodeJS.Signals) => {
    if (!isOver && child.pid !== undefined) killGroup(child.pid, name);
  };
  const endAtExit = () => endGroup('SIGKILL');
  async function stop(): Promise<void> {
    endGroup('SIGTERM');
    await Promise.race([ended.catch(() => {}), sleep(GRACE_MS, undefined, { ref: false })]);
    endGroup('SIGKILL');
  }
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-MAX_ERROR_CHARACTERS);
  });
  // What it started may hold its output open.
  child.once('exit', () => setTimeout(endAtExit, GRACE_MS).unref());
  process.once('exit', endAtExit);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) void stop();
  let lastLine = '';
  try {
    for await (const line of textLines(child.stdout)) {
      const event = parseEvent(line);
      if (event) onEvent(event);
      else if (line.trim() !== '') lastLine = line;
    }
    const code = await ended;
    return { code, lastLine: lastLineOf(errors) || lastLine };
  } finally {
    endGroup('SIGKILL');
    isOver = true;
    process.off('exit', endAtExit);
    signal.removeEventListener('abort', stop);
  }
}

function killGroup(pid: number, name: NodeJS.Signals): void {
  try {
    if (process.platform === 'win32') spawn('taskkill', ['/pid', `${pid}`, '/T', '/F'], { stdio: 'ignore' });
    else process.kill(-pid, name);
  } catch {
    // It has ended.
  }
}

function parseEvent(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Stack traces say less than the line before them. */
function lastLineOf(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^\s+at /.test(line));
  return lines.at(-1)?.trim() ?? '';
}
