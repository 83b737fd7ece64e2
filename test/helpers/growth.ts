/** For how long this process had a processor, in milliseconds: waiting for one on a busy machine does not count. */
export function busyMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** What work on 16 times as much may take at most, as a multiple: about 16 if it is linear, 256 if it is quadratic. */
export const LINEAR = 64;

const TIMES = 16;

/**
 * How many times as long it takes to do something for 16 times the `size`. `msOf` does it and returns the time. The smaller
 * is done 16 times, so that other processes disturb both as much. Tries in turn, and the shortest of some, because garbage is
 * collected in between, and other threads count too.
 */
export function growthOf(msOf: (size: number) => number, size: number, tries = 5): number {
  const msOfSmall = () => Array.from({ length: TIMES }, () => msOf(size)).reduce((sum, ms) => sum + ms);
  const pairs = Array.from({ length: tries }, () => [msOfSmall(), msOf(TIMES * size)] as const);
  const [less, more] = [0, 1].map((at) => Math.min(...pairs.map((pair) => pair[at]!)));
  return (TIMES * more!) / less!;
}

/** Returns the processor time of `work`. */
export function msToDo(work: () => void): number {
  const before = busyMs();
  work();
  return busyMs() - before;
}
