import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

/** Starts another process that holds the write lock of a database file. */
export async function holdWriteLock(file: string) {
  const script = fileURLToPath(new URL('./lock-holder.mjs', import.meta.url));
  const child = execa(process.execPath, [script, file], { reject: false });
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', (line) =>
      String(line).startsWith('locked') ? resolve() : reject(new Error(String(line))),
    );
  });
  return {
    /** Suspends the process, which still holds the lock. */
    stop: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    async release() {
      child.stdin.write('go on\n');
      await child;
    },
    async end() {
      child.kill('SIGKILL');
      await child;
    },
  };
}
