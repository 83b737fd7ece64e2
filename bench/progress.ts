import { formatNumber } from './report.ts';

/** Reports progress on standard error: one updating line on a terminal, one line per part elsewhere. */
export interface Progress {
  /** Adds to the number of items done. */
  advance(count: number): void;
  /** Marks a part as finished. */
  finishPart(name: string): void;
  end(): void;
}

const BAR = 28;

export function createProgress(what: string, total: number): Progress {
  const terminal = process.stderr.isTTY === true;
  const startMs = performance.now();
  let done = 0;

  function draw(): void {
    const share = total === 0 ? 1 : done / total;
    const bar = '█'.repeat(Math.round(share * BAR)).padEnd(BAR, '░');
    process.stderr.write(`\r  ${what} ${bar} ${done} of ${total}`);
  }

  return {
    advance(count) {
      done += count;
      if (terminal) draw();
    },
    finishPart(name) {
      if (!terminal) process.stderr.write(`  ${what}: ${name}, ${done} of ${total}\n`);
    },
    end() {
      if (terminal) process.stderr.write('\r\x1b[2K');
      process.stderr.write(`  ${what}: ${done} in ${formatNumber((performance.now() - startMs) / 1000)} s\n`);
    },
  };
}
