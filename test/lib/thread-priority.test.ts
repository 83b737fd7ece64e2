import { readdir, readFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { expect, test } from 'vitest';
import { prepareTerms } from '../../src/features/text/prepared-terms.ts';

/** The nice values of all threads of this process (proc(5), field 19 of `stat`). */
async function threadPriorities(): Promise<number[]> {
  const threads = await readdir('/proc/self/task');
  const stats = await Promise.all(threads.map((id) => readFile(`/proc/self/task/${id}/stat`, 'utf8')));
  return stats.map((stat) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]));
}

test.runIf(process.platform === 'linux')(
  'the thread that finds the terms of long texts lets the event loop have a processor first',
  async () => {
    const own = getPriority(0);
    const countLowered = async () => (await threadPriorities()).filter((nice) => nice === own + 5).length;
    await prepareTerms('ten_a', [['long words '.repeat(2000)]]);
    // Other tests of this process may have started one of their own.
    expect(await countLowered()).toBeGreaterThanOrEqual(1);
    expect(getPriority(0)).toBe(own);
  },
);
