import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

/** Streams that ink takes for a terminal, with a way to see what is drawn and to press keys. */
export function createScreen(...keys: string[]) {
  let drawn = '';
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => stdin,
    ref: () => stdin,
    unref: () => stdin,
  });
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 100, rows: 40 });
  stderr.on('data', (chunk) => {
    drawn += String(chunk);
  });
  const press = async (...pressed: string[]) => {
    for (const key of pressed) {
      stdin.write(key);
      await sleep(60);
    }
  };
  const shows = async (text: string) => {
    while (!stripVTControlCharacters(drawn).includes(text)) await sleep(10);
  };
  if (keys.length > 0) void shows('enter apply').then(() => press(...keys));
  return {
    stdin: stdin as unknown as NodeJS.ReadStream,
    stderr: stderr as unknown as NodeJS.WriteStream,
    press,
    shows,
  };
}
