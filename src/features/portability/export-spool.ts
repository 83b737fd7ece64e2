import { createCipheriv, createDecipheriv } from 'node:crypto';
import { type FileHandle, open, rm, statfs, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../contract/errors.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import type { Random } from '../../lib/random.ts';

/** A temporary file that is read while it is written. It disappears when it is closed, or with the process. */
export interface SpoolFile {
  /** Throws `storage_full` if the disk is full or nearly so. */
  write(text: string): Promise<void>;
  /** Ends the file; with an error, reading fails with it. */
  end(error?: unknown): void;
  /** Yields what was written, from the beginning, and waits for more until the end. */
  read(): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

/** Temporary files for exports, in a folder of their own. */
export interface Spool {
  open(): Promise<SpoolFile>;
  /** Removes what a killed process left behind. */
  clear(): Promise<void>;
}

const READ_BYTES = 64 * 1024;
/** How much a file grows between two looks at the free space; smaller exports need no reserve. */
const CHECK_BYTES = 8 * 1024 * 1024;
/** Left to the database, so that exports cannot fill its disk. */
const RESERVED_BYTES = 1024 ** 3;

interface Parts {
  folder: string;
  random: Random;
  freeBytes?: (folder: string) => Promise<number>;
}

/**
 * Files have mode 0600, are unlinked at once where the platform allows, and are encrypted with a key that exists only in
 * memory: text that is erased from the database must not survive on the disk.
 */
export function createSpool({ folder, random, freeBytes = freeBytesOf }: Parts): Spool {
  async function requireSpace(): Promise<void> {
    if ((await freeBytes(folder)) < RESERVED_BYTES) throw diskFull();
  }

  return {
    async open() {
      await makeFolder(folder);
      const path = join(folder, `export-${random.bytes(8).toString('hex')}`);
      const handle = await open(path, 'wx+', 0o600).catch(rethrowFull);
      const isUnlinked = await unlink(path).then(
        () => true,
        () => false,
      );
      const close = async () => {
        await handle.close();
        if (!isUnlinked) await rm(path, { force: true });
      };
      return { ...createSpoolFile(handle, requireSpace, random), close };
    },
    clear: () => rm(folder, { recursive: true, force: true }),
  };
}

function createSpoolFile(
  handle: FileHandle,
  requireSpace: () => Promise<void>,
  random: Random,
): Omit<SpoolFile, 'close'> {
  const key = [random.bytes(32), random.bytes(16)] as const;
  const cipher = createCipheriv('aes-256-ctr', ...key);
  let written = 0;
  let checkAt = CHECK_BYTES;
  let end: { error: unknown } | undefined;
  let wakeReader = () => {};

  return {
    async write(text) {
      if (written >= checkAt) {
        await requireSpace();
        checkAt += CHECK_BYTES;
      }
      const bytes = cipher.update(text, 'utf8');
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await handle
          .write(bytes, done, bytes.length - done, written + done)
          .catch(rethrowFull);
        done += bytesWritten;
      }
      written += bytes.length;
      wakeReader();
    },
    end(error) {
      end = { error };
      wakeReader();
    },
    async *read() {
      const decipher = createDecipheriv('aes-256-ctr', ...key);
      for (let position = 0; ; ) {
        if (end?.error !== undefined) throw end.error;
        if (position < written) {
          const wanted = Math.min(READ_BYTES, written - position);
          const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, position);
          position += bytesRead;
          yield decipher.update(buffer.subarray(0, bytesRead));
        } else if (end) return;
        else {
          await new Promise<void>((resolve) => {
            wakeReader = resolve;
          });
        }
      }
    },
  };
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

function rethrowFull(error: NodeJS.ErrnoException): never {
  throw error.code === 'ENOSPC' || error.code === 'EDQUOT' ? diskFull(error) : error;
}

function diskFull(cause?: Error): AppError {
  const message = 'The disk has no room to prepare this export. Free some space and try again.';
  return new AppError('storage_full', message, { cause });
}
