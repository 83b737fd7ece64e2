import type { Terminal } from './cli/command-context.ts';

/** Resolves at the first SIGINT or SIGTERM, or when a parent that opened a channel is gone; a second signal exits at once. */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    process.once('disconnect', () => resolve('the end of its parent'));
    let stopping = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (stopping) process.exit(1);
        stopping = true;
        resolve(signal);
      });
    }
  });
}

/** Resolves when everything written so far was flushed or can no longer be. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

let writeError: NodeJS.ErrnoException | undefined;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that stops early, such as head, is not an error.
  if (error.code !== 'EPIPE') writeError = error;
});
process.stderr.on('error', () => {
  // There is nowhere to report this, and the daemon must survive a full log disk.
});

const terminal: Terminal = {
  out: (text: string) => void process.stdout.write(text),
  error: (text: string) => void process.stderr.write(text),
};

/** Runs the program in this process, and ends the process with the exit code once its output is written. */
export async function runProcess(
  program: (terminal: Terminal, stopSignal: () => Promise<string>) => Promise<number>,
): Promise<never> {
  let code = await program(terminal, stopSignal);
  await flushed(process.stdout);
  if (writeError !== undefined && code === 0) {
    terminal.error(`svc: cannot write output (${writeError.code})\n`);
    code = 1;
  }
  await flushed(process.stderr);
  process.exit(code);
}
