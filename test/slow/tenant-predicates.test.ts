import { cp, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { daemonBuild, root } from '../../scripts/build-options.mjs';
import { LARGE_YOUNG_GENERATION } from '../../vitest.config.ts';
import { findPredicates, markPredicates, type Predicate } from './predicates/mark-predicates.ts';

/**
 * Lines with a predicate that others imply, each with the reason. The list may only shrink: the test fails for any other
 * predicate that nobody misses, and for one of these that a scenario misses. The reasons hold on SQLite, where the
 * scenarios run.
 */
const IMPLIED: Record<string, string> = {
  'OR EXISTS (SELECT 1 FROM apiKeys k WHERE k.tenantId = t.tenantId AND k.hash = ?))`,': 'the hash of a key is unique',
  "['f.tenantId = ?', tenantId],": 'the memory is compared with the tenant, and the tag or source with the memory',
  'const from = `${lookup} f CROSS JOIN memories m ON m.tenantId = f.tenantId AND m.id = f.memoryId`;':
    'both are compared with the tenant',
  "`UPDATE embeddingModels SET ${type}Fill = ${last ? '0' : 'NULL'}, fillAfter = ? WHERE tenantId = ? AND id = ?`,":
    'both values are of one row, and the id is its primary key',
  "'DELETE FROM vectors WHERE tenantId = ? AND model = ? AND scope = ? AND type = ? AND number = ?',":
    'the other columns are the primary key',
  '`DELETE FROM unembedded WHERE (tenantId, id) IN (SELECT tenantId, id FROM unembedded WHERE model = ? LIMIT ?)`,':
    'the id is the primary key',
  '`DELETE FROM vectors WHERE (tenantId, model, scope, type, number) IN': 'the other columns are the primary key',
  '`DELETE FROM modelAgreements WHERE (tenantId, model) IN': 'rows of removed models are deleted for all tenants',
  '`UPDATE ${table} SET author = ? WHERE tenantId = ? AND author = ?': 'the number is the primary key',
  'from: `c CROSS JOIN memories m ON m.number = c.number AND m.tenantId = c.tenantId': 'the number is the primary key',
  'JOIN messages m ON m.number = x.number * ${rowIds} + ${ordinal} AND (m.tenantId = x.tenantId) IS TRUE':
    'the number is the primary key',
  'FROM changes c LEFT JOIN scopes s ON s.tenantId = c.tenantId AND s.scope = c.scope': 'the scope is the primary key',
  'WHERE v.tenantId = m.tenantId AND v.model = ? AND v.scope = m.scope AND v.type = ? AND v.number = m.number)':
    'the scope is the primary key',
  'LEFT JOIN scopes s ON s.tenantId = d.tenantId AND s.scope = d.scope`;': 'the scope is the primary key',
  "'SELECT tenantId FROM tenants WHERE tenantId IN (SELECT value FROM texts(?)) AND erasedAt IS NULL',":
    'the result is only compared with the tenants of the list',
  'WHERE (tenantId, endUser) IN (VALUES ${placeholders(padded.length, 2)})`,':
    'the result is only compared with the tenants and users of the list',
};

/** Lines that only PostgreSQL executes, which no scenario does, each with what limits their rows to the tenant as well. */
const POSTGRES_ONLY: Record<string, string> = {
  'postgres: `CROSS JOIN LATERAL (${DUE}) f ON TRUE CROSS JOIN unembedded u ON u.tenantId = t.value AND u.id = f.id`,':
    'the ids of all tenants come from one sequence, and the row with that id is of the tenant',
  'const lookup = `SELECT * FROM ${rows} WHERE tenantId = ? AND number = f.number OFFSET 0`;':
    'the visible rows are compared with the tenant',
};

/** Shows all accounts to the operator, by design: what it counts of each is tested in `test/features/operator`. */
const OF_ALL_TENANTS = /^features\/operator\//;

/** `SVC_TEST_PREDICATES=jobs-store` is enough during development: a regular expression for places. */
const CHOSEN = new RegExp(process.env.SVC_TEST_PREDICATES ?? '');
const sourceOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const ENTRIES = {
  'predicate-worker': sourceOf('predicates/predicate-worker.ts'),
  'compose-faster': sourceOf('../helpers/compose-faster.ts'),
};
/** Not `dist`, which another test may pack meanwhile. */
const FOLDER = `${root}dist-predicates`;
const bundleOf = (entry: keyof typeof ENTRIES) => `${FOLDER}/${entry}.js`;

interface Outcome {
  id: number;
  /** Scenarios that execute the predicate. */
  executed: number;
  /** The one that fails without it. */
  noticed?: string;
}

/** In one process: each of several would run all scenarios first. */
async function run(predicates: readonly Predicate[]): Promise<Outcome[]> {
  const ids = JSON.stringify(predicates.map(({ id }) => id));
  // Loaded before the packages that it changes.
  const options = [LARGE_YOUNG_GENERATION, '--enable-source-maps', '--import', bundleOf('compose-faster')];
  const args = [bundleOf('predicate-worker'), ids];
  const { stdout } = await execa(process.execPath, [...options, ...args], {
    env: { UV_THREADPOOL_SIZE: '8' },
    stderr: 'inherit',
  });
  return stdout.split('\n').map((line) => JSON.parse(line) as Outcome);
}

test('a test fails for every tenant predicate that is left out of a store (rows 30, 69)', {
  timeout: 900_000,
}, async () => {
  const predicates = await findPredicates(`${root}src`);
  const { splitting, chunkNames, ...options } = daemonBuild;
  const plugins = [markPredicates(predicates)];
  await rm(FOLDER, { recursive: true, force: true });
  // The bundle finds the workers of the daemon beside it.
  await cp(`${root}dist`, FOLDER, { recursive: true });
  await build({ ...options, entryPoints: ENTRIES, outdir: FOLDER, packages: 'external', plugins });
  const chosen = predicates.filter(({ place }) => CHOSEN.test(place) && !OF_ALL_TENANTS.test(place));
  const outcomes = await run(chosen);
  expect(outcomes).toHaveLength(chosen.length);
  const describe = ({ id, executed }: Outcome) => {
    const { place, text } = predicates[id]!;
    return `${place} (${executed} scenarios) ${text}`;
  };
  const listedIn = (lines: Record<string, string>) =>
    outcomes.filter(({ id }) => lines[predicates[id]!.text] !== undefined).map(describe);
  // Statements may share a line.
  const found = new Set(outcomes.map(({ id }) => predicates[id]!.text));
  const missing = [IMPLIED, POSTGRES_ONLY].flatMap((lines) => Object.keys(lines).filter((line) => !found.has(line)));
  const [implied, postgresOnly] = [listedIn(IMPLIED), listedIn(POSTGRES_ONLY)];
  const unnoticed = outcomes.filter(({ noticed }) => noticed === undefined);
  const survivors = unnoticed.filter(({ executed }) => executed > 0).map(describe);
  const unexecuted = unnoticed.filter(({ executed }) => executed === 0).map(describe);
  console.info(
    `${outcomes.length} tenant predicates, ${survivors.length} survivors, ${implied.length} of them implied, ` +
      `${unexecuted.length} not executed, ${postgresOnly.length} of them only by PostgreSQL`,
  );
  expect(unexecuted).toEqual(postgresOnly);
  expect(survivors).toEqual(implied);
  if (process.env.SVC_TEST_PREDICATES !== undefined) return;
  expect(missing).toEqual([]);
});
