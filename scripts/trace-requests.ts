import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import type { AddressInfo } from 'node:net';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fillFolder } from '../bench/fill-folder.ts';
import { LEDGER_CONTENTS, LEDGER_REQUESTS, type LedgerAccount } from '../bench/ledger-requests.ts';
import { inFreshFolder, ROOT } from '../bench/processes.ts';
import { compose } from '../src/daemon/compose.ts';
import { readConfig } from '../src/daemon/config.ts';
import { createLog } from '../src/daemon/log.ts';
import { systemClock } from '../src/lib/clock.ts';
import { systemRandom } from '../src/lib/random.ts';
import { folderOf, printTable } from './source-folders.ts';

/**
 * Prints through how many source files and functions a warm request runs, by folder, as V8's precise coverage counts them.
 * Worker threads are not counted. `node --import tsx scripts/trace-requests.ts [--files]`
 */

const WARM_UP = 5;
/** Of so many repetitions only what all of them run counts: background work is in some. */
const REPETITIONS = 4;

const REQUESTS: typeof LEDGER_REQUESTS = {
  'add a memory': LEDGER_REQUESTS['add a memory']!,
  search: LEDGER_REQUESTS.search!,
  'read a memory': LEDGER_REQUESTS['read a memory']!,
  'read the account': () => ({ method: 'GET', path: '/v1/account' }),
};

const listsFiles = process.argv.includes('--files');

await inFreshFolder(async (dataDir) => {
  const { memories, messages } = LEDGER_CONTENTS;
  const group = { tenants: 1, memories, conversations: { count: 1, messages } };
  const [tenants] = await fillFolder({ dataDir, groups: [group], seed: 7 });
  const { apiKey, ids, conversationIds } = tenants![0]!;
  const account: LedgerAccount = { memoryId: ids[0]!, conversationId: conversationIds[0]! };
  const daemon = await compose(readConfig({ dataDir, port: '0' }, {}, ''), {
    clock: systemClock,
    random: systemRandom,
    log: createLog('error', console.error),
    show: () => {},
    version: '0.0.0',
    dashboardFiles: new Map(),
    referenceFiles: new Map(),
    stopNoticeMs: 0,
  });
  await daemon.start();
  const { port } = daemon.app.server.address() as AddressInfo;
  let sent = 0;
  for (const [name, requestOf] of Object.entries(REQUESTS)) {
    const traced = await trace(async () => {
      const { method, path, body } = requestOf(account, ++sent);
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${name}: ${answer.status} ${text}`);
    });
    print(name, traced);
  }
  await daemon.stop();
});

/** Returns the names of the functions that every repetition runs, by file. */
async function trace(request: () => Promise<void>): Promise<Map<string, Set<string>>> {
  for (let round = 0; round < WARM_UP; round += 1) await request();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  let common: Set<string> | undefined;
  for (let round = 0; round < REPETITIONS; round += 1) {
    await session.post('Profiler.takePreciseCoverage');
    await request();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const ran = new Set(result.flatMap(functionsOf));
    common = common ? new Set([...common].filter((one) => ran.has(one))) : ran;
  }
  await session.post('Profiler.stopPreciseCoverage');
  session.disconnect();
  const files = new Map<string, Set<string>>();
  for (const one of common ?? []) {
    const [path, name] = one.split('#') as [string, string];
    files.set(path, (files.get(path) ?? new Set()).add(name));
  }
  return files;
}

/** Functions of a source file that ran, as `path#name:offset`. */
function functionsOf({ url, functions }: Profiler.ScriptCoverage): string[] {
  const path = url.startsWith('file:') ? relative(ROOT, fileURLToPath(url)) : '';
  if (!path.startsWith('src/')) return [];
  return functions
    .filter(({ ranges: [whole] }) => whole!.count > 0 && whole!.startOffset > 0)
    .map(({ functionName, ranges: [whole] }) => `${path}#${functionName || 'anonymous'}:${whole!.startOffset}`);
}

function print(name: string, files: Map<string, Set<string>>): void {
  const folders = new Map<string, [string, Set<string>][]>();
  for (const file of files) {
    const folder = folderOf(file[0]);
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  const amount = (of: [string, Set<string>][]) => of.reduce((total, [, functions]) => total + functions.size, 0);
  console.log(`\n${name}: ${files.size} files, ${amount([...files])} functions`);
  const rows = [...folders].map(([folder, of]) => [folder, of.length, amount(of)] as const);
  printTable(
    ['folder', 'files', 'functions'],
    rows.sort(([, one], [, other]) => other - one),
  );
  if (!listsFiles) return;
  for (const [path, functions] of [...files].sort()) {
    console.log(`  ${path}: ${[...functions].map((one) => one.replace(/:\d+$/, '')).join(' ')}`);
  }
}
