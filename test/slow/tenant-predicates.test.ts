import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { daemonBuild, root } from '../../scripts/build-options.mjs';
import { findPredicates, markPredicates, type Predicate } from './predicates/mark-predicates.ts';

/**
 * Lines with a predicate that others imply, each with the reason. The list may only shrink: the test fails for any other
 * predicate that nobody misses, and for one of these that a scenario misses.
 */
const IMPLIED: Record<string, string> = {
  "['f.tenantId = ?', tenantId],": 'the memory is compared with the tenant, and the tag or source with the memory',
  "['m.tenantId = f.tenantId AND m.id = f.memoryId'],": 'both are compared with the tenant',
  "`UPDATE embeddingModels SET ${type}Fill = ${last ? '0' : 'NULL'}, fillAfter = ? WHERE tenantId = ? AND id = ?`,":
    'both values are of one row, and the id is its primary key',
};

/** `SVC_TEST_PREDICATES=jobs-store` is enough during development: a regular expression for places. */
const CHOSEN = new RegExp(process.env.SVC_TEST_PREDICATES ?? '');
const WORKERS = 2;
const WORKER = fileURLToPath(new URL('predicates/predicate-worker.ts', import.meta.url));
/** In the folder of the daemon's bundle, so that it finds the same packages. */
const BUNDLE = `${root}dist/predicate-worker.mjs`;

interface Outcome {
  id: number;
  /** Scenarios that execute the predicate. */
  executed: number;
  /** The one that fails without it. */
  noticed?: string;
}

async function runShare(share: number, predicates: readonly Predicate[]): Promise<Outcome[]> {
  const ids = JSON.stringify(predicates.map(({ id }) => id));
  const { stdout } = await execa(process.execPath, ['--enable-source-maps', BUNDLE, `${share}`, `${WORKERS}`, ids], {
    env: { UV_THREADPOOL_SIZE: '8' },
    stderr: 'inherit',
  });
  return stdout.split('\n').map((line) => JSON.parse(line) as Outcome);
}

test('a test fails for every tenant predicate that is left out of a store (rows 30, 69)', {
  timeout: 900_000,
}, async () => {
  const predicates = await findPredicates(`${root}src`);
  const { outdir, splitting, chunkNames, ...options } = daemonBuild;
  await build({ ...options, entryPoints: [WORKER], outfile: BUNDLE, plugins: [markPredicates(predicates)] });
  const chosen = predicates.filter(({ place }) => CHOSEN.test(place));
  const shares = Array.from({ length: WORKERS }, (_, share) => runShare(share, chosen));
  const outcomes = (await Promise.all(shares)).flat();
  expect(outcomes).toHaveLength(chosen.length);
  const inOrder = outcomes.toSorted((a, b) => a.id - b.id);
  const describe = ({ id, executed }: Outcome) => {
    const { place, text } = predicates[id]!;
    return `${place} (${executed} scenarios) ${text}`;
  };
  const survivors = inOrder.filter(({ noticed }) => noticed === undefined).map(describe);
  const implied = inOrder.filter(({ id }) => IMPLIED[predicates[id]!.text] !== undefined).map(describe);
  console.info(`${outcomes.length} tenant predicates, ${implied.length} implied, ${survivors.length} survivors`);
  expect(survivors).toEqual(implied);
  if (chosen.length === predicates.length) expect(implied).toHaveLength(Object.keys(IMPLIED).length);
});
