import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

const MIB = 1024 * 1024;

/** Mounts a file system in memory of so many MiB at a new temporary folder. */
export async function mountSmallDisk(sizeMib: number) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-disk-'));
  await execa('mount', ['-t', 'tmpfs', '-o', `size=${sizeMib}m`, 'tmpfs', folder]);
  const ballast = join(folder, 'ballast');
  return {
    folder,
    /** Fills it to the last block. */
    fill: () => writeZeros(ballast),
    /** Undoes `fill`. */
    free: () => rm(ballast),
    async unmount(): Promise<void> {
      await execa('umount', ['-l', folder]);
      await rm(folder, { recursive: true });
    },
  };
}

export type SmallDisk = Awaited<ReturnType<typeof mountSmallDisk>>;

/** Whether this process may mount. */
export async function canMount(): Promise<boolean> {
  if (process.getuid?.() !== 0) return false;
  const disk = await mountSmallDisk(1).catch(() => undefined);
  await disk?.unmount();
  return disk !== undefined;
}

/** Writes until nothing more fits. */
async function writeZeros(path: string): Promise<void> {
  const handle = await open(path, 'w');
  try {
    for (let size = MIB; size >= 4096; ) {
      const written = await handle.write(Buffer.alloc(size)).catch(() => undefined);
      if (written === undefined || written.bytesWritten < size) size /= 2;
    }
  } finally {
    await handle.close();
  }
}
