import { setImmediate as turn } from 'node:timers/promises';

/** Lets ink take what was typed and draw: React renders and runs effects in turns of the event loop, not after some time. */
export async function drawn(): Promise<void> {
  for (let count = 0; count < 20; count += 1) await turn();
}
