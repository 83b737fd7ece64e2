import { appendFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../lib/make-folder.ts';
import { ConfigError } from './config.ts';

const MAX_BYTES = 5 * 1024 * 1024;
/** Older files have the endings `.1` and `.2`. */
const OLD_FILES = 2;

/**
 * Opens a log file of mode 0600 and returns a function that appends to it. At `maxBytes` a new file begins, and the
 * oldest is deleted. A full disk loses lines, not the daemon. Throws `ConfigError` if the file cannot be written.
 */
export async function createLogFile(path: string, maxBytes: number = MAX_BYTES): Promise<(text: string) => void> {
  let bytes: number;
  try {
    await makeFolder(dirname(path));
    appendFileSync(path, '', { mode: 0o600 });
    bytes = statSync(path).size;
  } catch (error) {
    throw new ConfigError(`SVC_LOG_FILE ${path} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
  return (text) => {
    try {
      const added = Buffer.byteLength(text);
      if (bytes > 0 && bytes + added > maxBytes) {
        rotate(path);
        bytes = 0;
      }
      appendFileSync(path, text, { mode: 0o600 });
      bytes += added;
    } catch {
      // There is nowhere to report it.
    }
  };
}

function rotate(path: string): void {
  for (let number = OLD_FILES; number >= 1; number -= 1) {
    const younger = number === 1 ? path : `${path}.${number - 1}`;
    try {
      renameSync(younger, `${path}.${number}`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}
