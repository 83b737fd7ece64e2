import { open, readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import type { Environment } from '../settings.ts';
import { streamProgram } from './run-program.ts';
import type { LogSource } from './supervisor.ts';

interface ReadOptions extends Pick<Environment, 'env'> {
  /** How many of the last lines. */
  lines: number;
  /** Continue with new lines until `signal` aborts. */
  follow: boolean;
  signal: AbortSignal;
  onText(text: string): void;
}

const POLL_MS = 300;
const ADVICE = 'svc service status says whether the service is installed.';
/** What journalctl prints in place of a log. */
const NO_ENTRIES = '-- No entries --\n';

/** Passes on the log of the service. Throws `CommandFailure` if there is none. */
export async function readLog(source: LogSource, options: ReadOptions): Promise<void> {
  if ('file' in source) return readFiles(source.file, options);
  const { lines, follow, env, signal, onText } = options;
  let isEmpty = true;
  const onLines = (text: string) => {
    if (text === NO_ENTRIES) return;
    isEmpty = false;
    onText(text);
  };
  const code = await streamProgram(source.command, source.args(lines, follow), { env, signal, onText: onLines });
  if (signal.aborted || (code === 0 && !isEmpty)) return;
  if (code === 0) throw new CommandFailure(EXIT.failed, `There is no log yet in the journal. ${ADVICE}`);
  const cause = code === 127 ? `${source.command} is not installed.` : `${source.command} failed.`;
  throw new CommandFailure(EXIT.failed, cause);
}

async function readFiles(file: string, { lines, follow, signal, onText }: ReadOptions): Promise<void> {
  const [older, newest] = await Promise.all([read(`${file}.1`), read(file)]);
  if (newest === undefined) throw new CommandFailure(EXIT.failed, `There is no log yet at ${file}. ${ADVICE}`);
  const all = `${older ?? ''}${newest}`.split('\n').slice(0, -1);
  onText(
    all
      .slice(-lines)
      .map((line) => `${line}\n`)
      .join(''),
  );
  let position = Buffer.byteLength(newest);
  while (follow && !signal.aborted) {
    await sleep(POLL_MS, undefined, { signal }).catch(() => {});
    position = await readFrom(file, position, onText);
  }
}

function read(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}

/** Passes on what follows a position, or a whole file that is shorter because it was rotated. Returns its end. */
async function readFrom(file: string, position: number, onText: (text: string) => void): Promise<number> {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  const start = size < position ? 0 : position;
  if (size === start) return start;
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
    onText(buffer.toString('utf8', 0, bytesRead));
    return start + bytesRead;
  } finally {
    await handle.close();
  }
}
