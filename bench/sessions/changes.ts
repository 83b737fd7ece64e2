import { readFile } from 'node:fs/promises';
import { currentOf } from '../../src/features/session-start/current.ts';
import { finish } from '../../src/lib/time-slices.ts';

/** A fact that changed, and two about the same person, tool or place that still hold. */
interface Change {
  old: string;
  new: string;
  near: [string, string];
}

/** Changes that one project has. */
const POOL = 10;
const FILES = ['development', 'held-out'];

/** Counts the statements that rules leave out because a newer one takes their place: `node --import tsx bench/sessions/changes.ts`. */
for (const name of FILES) {
  const file = new URL(`changes/${name}.json`, import.meta.url);
  const changes = JSON.parse(await readFile(file, 'utf8')) as Change[];
  let replaced = 0;
  let wrong = 0;
  for (let at = 0; at < changes.length; at += POOL) {
    const pool = changes.slice(at, at + POOL);
    const told = [...pool.flatMap((change) => [change.old, ...change.near]), ...pool.map((change) => change.new)];
    const said = told.map((text, atMs) => ({ text, atMs, origin: null }));
    const current = new Set([...finish(currentOf(said))].map(({ text }) => text));
    replaced += pool.filter((change) => !current.has(change.old)).length;
    wrong += pool.flatMap((change) => [change.new, ...change.near]).filter((text) => !current.has(text)).length;
  }
  const others = 3 * changes.length;
  console.log(
    `${name}: ${replaced} of ${changes.length} replaced statements left out, and ${wrong} of ${others} others`,
  );
}
