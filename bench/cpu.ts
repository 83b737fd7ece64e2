import { readFile } from 'node:fs/promises';

/** Linux reports CPU time in hundredths of a second, whatever the kernel's own tick. */
const TICK_MS = 10;

/** CPU time that a process and its threads have used, in milliseconds, by Linux's /proc. */
export async function cpuMsOf(pid: number): Promise<number> {
  const [own] = await ticksOf(pid);
  return own * TICK_MS;
}

/** CPU time of a process, its children and those that have ended, in milliseconds. */
export async function cpuMsOfFamily(pid: number): Promise<number> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const children = await Promise.all(
    list
      .split(' ')
      .filter(Boolean)
      .map((child) => ticksOf(Number(child))),
  );
  const [own, ended] = await ticksOf(pid);
  return (own + ended + children.reduce((sum, [ticks]) => sum + ticks, 0)) * TICK_MS;
}

/** Of the process and of its ended children; a process that has ended meanwhile counts nothing. */
async function ticksOf(pid: number): Promise<[own: number, ended: number]> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name, in parentheses, may contain spaces; the state is the third field, user time the 14th.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
  return [user + system, endedUser + endedSystem];
}
