import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

/** Another process that holds the write lock of a database file. */
export async function holdWriteLock(file: string) {
  const script = fileURLToPath(new URL('./lock-holder.mjs', import.meta.url));
  const child = execa(process.execPath, [script, file], { reject: false });
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', (line) =>
      String(line).startsWith('locked') ? resolve() : reject(new Error(String(line))),
    );
  });
  return {
    /** It stays alive and holds the lock, but runs no more. */
    stop: () => child.kill('SIGSTOP'),
    goOn: () => child.kill('SIGCONT'),
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
