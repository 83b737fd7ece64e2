import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { drawn } from '../ink-turns.ts';

/** Streams that ink treats as a terminal, with functions to wait for output and to press keys. */
export function createScreen(...keys: string[]) {
  let output = '';
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => stdin,
    ref: () => stdin,
    unref: () => stdin,
  });
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 100, rows: 40 });
  stderr.on('data', (chunk) => {
    output += String(chunk);
  });
  const press = async (...sequence: string[]) => {
    for (const key of sequence) {
      stdin.write(key);
      await drawn();
    }
  };
  const shows = async (text: string) => {
    while (!stripVTControlCharacters(output).includes(text)) await sleep(10);
  };
  if (keys.length > 0) void shows('enter apply').then(() => press(...keys));
  return {
    stdin: stdin as unknown as NodeJS.ReadStream,
    stderr: stderr as unknown as NodeJS.WriteStream,
    press,
    shows,
  };
}
