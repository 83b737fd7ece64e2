import { runProgram } from './cli/program.ts';
import { VERSION } from './version.ts';

/** Resolves at the first request to stop; a second one ends the process at once. */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    let asked = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (asked) process.exit(1);
        asked = true;
        resolve(signal);
      });
    }
  });
}

/** Resolves when all that was written has left the process, or nobody takes it any more. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

let lostOutput: NodeJS.ErrnoException | undefined;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that has seen enough (head, say) is no failure.
  if (error.code !== 'EPIPE') lostOutput = error;
});
process.stderr.on('error', () => {
  // There is nowhere left to say it, and a daemon outlives the disk of its log.
});

const terminal = {
  out: (text: string) => void process.stdout.write(text),
  error: (text: string) => void process.stderr.write(text),
};

let code = await runProgram(process.argv.slice(2), VERSION, terminal, stopSignal);
await flushed(process.stdout);
if (lostOutput !== undefined && code === 0) {
  terminal.error(`svc: the output could not be written (${lostOutput.code})\n`);
  code = 1;
}
await flushed(process.stderr);
process.exit(code);
