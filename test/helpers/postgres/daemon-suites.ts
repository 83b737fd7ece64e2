import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Test files about the database file, its folder, extension and migrations. */
const ABOUT_SQLITE: readonly string[] = [
  'test/daemon/backup.slow.test.ts',
  'test/daemon/config-master-key.slow.test.ts',
  'test/daemon/restore.slow.test.ts',
  'test/features/embeddings/vectors-elsewhere.test.ts',
  'test/features/portability/slow-exports.slow.test.ts',
  'test/features/suggestions/accepted-additions-migration.test.ts',
  'test/features/text/signals-migration.slow.test.ts',
  'test/features/text/word-totals-migration.slow.test.ts',
  'test/lib/data-folder.test.ts',
];

/** What acts on the answers of a daemon or its features, whatever the database; `mcp.test.ts` shows that the tools reach it. */
const CALLERS = /^test\/(?:cli|client|daemon\/mcp)\/(?!mcp\.test\.ts)/;
/** Requests and responses before and after a database is asked. */
const ABOUT_HTTP = [
  /^test\/daemon\/(?:cors|headers|headers-refused|log|methods|openapi|reference|serve-connections|slow-clients)\./,
  /^test\/daemon\/(?:body-limits|large-bodies|llms-text|schema-compilers|static-files|strict-requests)\./,
  /^test\/(?:features\/(?:auth\/(?:cookie-names|email-address)|webhooks\/webhook-docs)|outside\/webhook-http)\./,
];

/** Start daemons in their own way. */
const TWINS = ['test/daemon/isolation-same-ids.slow.test.ts'];

/** Returns the test files that start a daemon, in this process: what they guarantee holds on every engine. */
export function daemonSuites(root: string): string[] {
  const daemon = resolve(root, 'test/helpers/daemon.ts');
  const known = new Map([[daemon, true]]);

  function reachesDaemon(file: string): boolean {
    const before = known.get(file);
    if (before !== undefined) return before;
    known.set(file, false);
    const reaches = importsOf(file).some(reachesDaemon);
    known.set(file, reaches);
    return reaches;
  }

  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((name) => join('test', name))
    .filter((path) => path.endsWith('.test.ts') && !path.startsWith('test/slow/') && !ABOUT_SQLITE.includes(path))
    .filter((path) => !CALLERS.test(path) && !ABOUT_HTTP.some((about) => about.test(path)))
    .filter((path) => TWINS.includes(path) || reachesDaemon(resolve(root, path)));
}

function importsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/ from '(\.[^']+)'/g)]
    .map(([, target]) => resolve(dirname(file), target!))
    .filter((target) => target.includes('/test/') && existsSync(target));
}
