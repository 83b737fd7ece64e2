import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';

/** Enforces the layout of `src/` by reading the imports of every file. */

const ROOT = fileURLToPath(new URL('..', import.meta.url));

interface SourceFile {
  /** Relative to the root, e.g. `src/features/keys/keys.ts`. */
  path: string;
  text: string;
  /** Local files by path, packages by name; `typeOnly` for `import type`. */
  imports: { target: string; typeOnly: boolean }[];
}

let files: SourceFile[] = [];

beforeAll(async () => {
  const names = await readdir(join(ROOT, 'src'), { recursive: true });
  const paths = names.filter((name) => /\.tsx?$/.test(name)).map((name) => join('src', name).replaceAll('\\', '/'));
  files = await Promise.all(paths.map(readSource));
});

async function readSource(path: string): Promise<SourceFile> {
  const text = await readFile(join(ROOT, path), 'utf8');
  const statements = text.matchAll(
    /(?:^|\n)(?:import|export)\s+(type\s)?[^;'"]*?from\s+'([^']+)'|import\('([^']+)'\)/g,
  );
  const imports = [...statements].map(([, type, from, dynamic]) => {
    const specifier = from ?? dynamic ?? '';
    const local = specifier.startsWith('.');
    const target = local ? relative(ROOT, resolve(ROOT, dirname(path), specifier)).replaceAll('\\', '/') : specifier;
    return { target, typeOnly: type !== undefined };
  });
  return { path, text, imports };
}

/** Lists imports by files matching `inside` of local files that do not match `mayImport`. */
function forbiddenImports(inside: RegExp, mayImport: RegExp): string[] {
  return files
    .filter(({ path }) => inside.test(path))
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => /^(src|migrations|package\.json)/.test(target) && !mayImport.test(target))
        .map(({ target }) => `${path} → ${target}`),
    );
}

/** Finds import cycles between groups of files, each as its sorted members: Tarjan's strongly connected components. */
function importCycles(groupOf: (path: string) => string | undefined): string[][] {
  const arrows = new Map<string, Set<string>>();
  for (const { path, imports } of files) {
    const from = groupOf(path);
    if (from === undefined) continue;
    const targets = arrows.get(from) ?? new Set();
    for (const { target } of imports) {
      const to = groupOf(target);
      if (to !== undefined && to !== from) targets.add(to);
    }
    arrows.set(from, targets);
  }
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  const visit = (group: string): void => {
    order.set(group, order.size);
    lowest.set(group, order.get(group)!);
    open.push(group);
    for (const next of arrows.get(group) ?? []) {
      if (!order.has(next)) visit(next);
      if (open.includes(next)) lowest.set(group, Math.min(lowest.get(group)!, lowest.get(next)!));
    }
    if (lowest.get(group) !== order.get(group)) return;
    const members = open.splice(open.indexOf(group));
    if (members.length > 1) found.push(members.sort());
  };
  for (const group of arrows.keys()) if (!order.has(group)) visit(group);
  return found;
}

const featureOf = (path: string) => /^src\/features\/([^/]+)\//.exec(path)?.[1];

describe('the source tree', () => {
  test('each layer imports only itself and the layers below it', () => {
    expect(forbiddenImports(/^src\/contract\//, /^src\/contract\//)).toEqual([]);
    expect(forbiddenImports(/^src\/lib\//, /^src\/lib\//)).toEqual([]);
    expect(forbiddenImports(/^src\/db\//, /^(src\/(contract|lib|db)|migrations)\//)).toEqual([]);
    expect(forbiddenImports(/^src\/outside\//, /^src\/(contract|lib|outside)\//)).toEqual([]);
    expect(forbiddenImports(/^src\/client\//, /^src\/(contract|client|lib\/(backoff|bounded-map))/)).toEqual([]);
    expect(forbiddenImports(/^src\/features\//, /^src\/(contract|lib|db|outside|features)\//)).toEqual([]);
    const assistants = String.raw`cli\/assistants\/(assistant|assistant-names|assistant-table|config-paths|editing\/document)\.ts`;
    const dashboard = new RegExp(String.raw`^src\/(client|contract|dashboard|lib\/clock|${assistants})`);
    expect(forbiddenImports(/^src\/dashboard\//, dashboard)).toEqual([]);
    expect(forbiddenImports(/^src\/reference\//, /^src\/(contract|lib|daemon|reference|version)/)).toEqual([]);
    expect(forbiddenImports(/^src\/reference\/browser\//, /^src\/reference\/browser\//)).toEqual([]);
    expect(forbiddenImports(/^src\/daemon\//, /^src\/(contract|lib|db|outside|features|daemon)\//)).toEqual([]);
  });

  test('features have no import cycles, types included', () => {
    expect(importCycles(featureOf)).toEqual([]);
  });

  test('files have no import cycles, types included', () => {
    expect(importCycles((path) => path)).toEqual([]);
  });

  test('the command line loads the daemon only in serve, service, admin, model and upgrade, and lazily', () => {
    const own = /^src\/(cli|client|contract|lib|outside\/keychain|version)/;
    expect(
      forbiddenImports(/^src\/(?!cli\/commands\/(serve|service|admin|model|upgrade)(-\w+)?\.ts)cli\//, own),
    ).toEqual([]);
    const eager = files
      .filter(
        ({ path }) =>
          path.startsWith('src/cli/') &&
          !/^src\/cli\/commands\/(serve|service|admin|model|upgrade)(-\w+)?\.ts$/.test(path),
      )
      .filter(({ text }) => /from '[^']*\/(serve|service|admin|model|upgrade)(-\w+)?\.ts'/.test(text));
    expect(eager.map(({ path }) => path)).toEqual([]);
  });

  test('a feature does not import the store or the routes of another', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => /-(store|routes)\.ts$/.test(target) && featureOf(target) !== featureOf(path))
        .filter(() => !/^src\/daemon\/(compose|rooms)\.ts$/.test(path))
        // Idempotent creation is shared by the routes of all features.
        .filter(({ target }) => !(/-routes\.ts$/.test(path) && /\/idempotency-routes\.ts$/.test(target)))
        .map(({ target }) => `${path} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test('SQL occurs only in stores, engine-specific files and db', () => {
    const sql = /\b(SELECT\s+[\w*"(]|INSERT INTO|DELETE FROM|UPDATE \w+ SET)\b/;
    const home = /^src\/(db\/|features\/.*(-store|-sqlite|-postgres)\.ts$)/;
    expect(files.filter(({ path, text }) => sql.test(text) && !home.test(path)).map(({ path }) => path)).toEqual([]);
  });

  test('stores import only the database, the contract and their own feature', () => {
    const allowed = (path: string, target: string) =>
      /^src\/(db|contract)\//.test(target) || /-row\.ts$/.test(target) || featureOf(target) === featureOf(path);
    const wrong = files
      .filter(({ path }) => path.endsWith('-store.ts'))
      .flatMap(({ path, imports }) =>
        imports.filter(({ target }) => !allowed(path, target)).map(({ target }) => `${path} → ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  test('only routes and the daemon import Fastify', () => {
    const wrong = files.filter(
      ({ path, imports }) =>
        imports.some(({ target }) => /^@?fastify/.test(target)) && !/-routes\.ts$|^src\/daemon\//.test(path),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test('migrations import nothing from src, so that later changes cannot alter a landed one', async () => {
    const names = (await readdir(join(ROOT, 'migrations'))).filter((name) => name.endsWith('.ts'));
    const migrations = await Promise.all(names.map((name) => readSource(`migrations/${name}`)));
    const wrong = migrations.flatMap(({ path, imports }) =>
      imports.filter(({ target }) => target.startsWith('src/')).map(({ target }) => `${path} → ${target}`),
    );
    expect(migrations.length).toBeGreaterThan(9);
    expect(wrong).toEqual([]);
  });

  test('only lib reads the clock and the random source', () => {
    const reads = /\bDate\.now\(|\bnew Date\(|\bDate\(\)|\bperformance\.now\(|\bMath\.random\(|\brandomBytes\b/;
    // Items of LangGraph and events of the ADK have dates, which are converted.
    const home = /^src\/(lib\/(clock|random)|client\/(langgraph-items|adk-events))\.ts$/;
    expect(files.filter(({ path, text }) => reads.test(text) && !home.test(path)).map(({ path }) => path)).toEqual([]);
  });

  test('a small file is replaced by replaceFile, and others rename only databases, folders, models, links and locks', () => {
    const renaming = files
      .filter(({ path, text }) => !/^src\/(client|dashboard|features)\//.test(path) && /\brename(Sync)?\(/.test(text))
      .map(({ path }) => path);
    expect(renaming.sort()).toEqual([
      'src/cli/commands/upgrade-steps.ts',
      'src/cli/hook/state-file.ts',
      'src/cli/sync/folder-lock.ts',
      'src/cli/sync/folder.ts',
      'src/daemon/log-file.ts',
      'src/db/backup.ts',
      'src/db/database-file.ts',
      'src/db/swap-database.ts',
      'src/lib/atomic-file.ts',
      'src/outside/models/added-models.ts',
      'src/outside/models/model-download.ts',
    ]);
  });

  test('the environment is read in three files, and only run-process.ts ends the process', () => {
    const reading = files.filter(({ text }) => /\bprocess\??\.env\b/.test(text)).map(({ path }) => path);
    const ending = files.filter(({ text }) => /\bprocess\.exit\(/.test(text)).map(({ path }) => path);
    // The client's entry reads the defaults of a program that uses the library.
    const home = /^src\/(daemon\/config|cli\/settings|client\/entry)\.ts$/;
    expect(reading.filter((path) => !home.test(path))).toEqual([]);
    expect(ending).toEqual(['src/run-process.ts']);
  });

  test('file names are kebab-case and specific', () => {
    const vague = /(^|\/|-)(utils?|helpers?|managers?|common-utils|misc|index)\.tsx?$/;
    const kebab = /^[a-z0-9]+(-[a-z0-9]+)*\.tsx?$/;
    const wrong = files
      .map(({ path }) => path)
      .filter((path) => vague.test(path) || !kebab.test(path.split('/').at(-1)!));
    expect(wrong).toEqual([]);
  });

  test('nearly all exported functions of features, lib and db have a docstring', () => {
    const bare = files
      .filter(({ path }) => /^src\/(lib|features\/[^/]+\/[a-z-]+(?<!-store|-routes)\.ts|db)\b/.test(path))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/(\*\/|[^\n]*)\n(export (?:async )?function (\w+))/g)]
          .filter(([, before]) => before !== ' */' && !before?.trim().endsWith('*/'))
          .map(([, , , name]) => `${path}: ${name}`),
      );
    expect(bare.length, bare.join('\n')).toBeLessThan(25);
  });
});
