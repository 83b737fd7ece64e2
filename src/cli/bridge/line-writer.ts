/** Writes lines to standard output. */
export interface LineWriter {
  write(line: string): void;
  /** Writes what is still collected. */
  flush(): void;
}

/** Collects the lines of one turn of the event loop and writes them at once, because each write is a system call. */
export function createLineWriter(out: (text: string) => void): LineWriter {
  let lines = '';
  const flush = () => {
    if (lines !== '') out(lines);
    lines = '';
  };
  return {
    write(line) {
      if (lines === '') setImmediate(flush);
      lines += `${line}\n`;
    },
    flush,
  };
}
