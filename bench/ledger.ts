import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { callApi } from './api-session.ts';
import { startBareServer } from './bare.ts';
import type { BenchOptions } from './benchmarks.ts';
import { cpuMsOf } from './cpu.ts';
import { fillFolder } from './fill-folder.ts';
import { LEDGER_CONTENTS, LEDGER_REQUESTS, teachWords } from './ledger-requests.ts';
import { type LoadRequest, load } from './load.ts';
import { inFreshFolder, ROOT, type ServerProcess, startDaemon } from './processes.ts';
import type { Section } from './report.ts';
import { median } from './statistics.ts';

/** Linux counts processor time in hundredths of a second; an account may send 3,000 requests a minute. */
const AMOUNT = 300;
/** A bare server takes a tenth of the time and has no limit. */
const BARE_AMOUNT = 3000;

/** Prints what each request of the ledger costs: the accepted counts, and the processor time beside that of a bare GET. */
export async function benchLedger({ rounds, nodeOptions, progress }: BenchOptions): Promise<Section> {
  return inFreshFolder(async (dataDir) => {
    const { memories, messages } = LEDGER_CONTENTS;
    const requests = Object.entries(LEDGER_REQUESTS);
    const group = { tenants: requests.length, memories, conversations: { count: 1, messages } };
    const [tenants] = await fillFolder({ dataDir, groups: [group], seed: 7 });
    const daemon = await startDaemon({ dataDir, nodeOptions });
    const bare = await startBareServer();
    const rows = [];
    try {
      const accepted = await readAccepted();
      let sent = 0;
      for (const [index, [name, requestOf]] of requests.entries()) {
        progress(name);
        const { apiKey, ids, conversationIds } = tenants![index]!;
        const account = { memoryId: ids[0]!, conversationId: conversationIds[0]! };
        await teachWords((path, body) => callApi(daemon.url, apiKey, path, body));
        const bareGet = (): LoadRequest => ({ method: 'GET', path: '/v1/memories/x', apiKey });
        const request = (): LoadRequest => {
          const { body, ...fixed } = requestOf(account, sent);
          return { ...fixed, apiKey, ...(body !== undefined && { body: () => bodyOf(requestOf(account, ++sent)) }) };
        };
        await cpuOf(daemon, request, AMOUNT);
        const own: number[] = [];
        const multiples: number[] = [];
        for (let round = 0; round < rounds; round += 1) {
          const bareMs = await cpuOf(bare, bareGet, BARE_AMOUNT);
          const ownMs = await cpuOf(daemon, request, AMOUNT);
          own.push(ownMs);
          multiples.push(ownMs / bareMs);
        }
        rows.push({ request: name, ...accepted[name], 'CPU ms': median(own), 'of a bare GET': median(multiples) });
      }
    } finally {
      await Promise.all([daemon.stop(), bare.stop()]);
    }
    return { name: 'ledger', title: 'What each request costs', rows, findings: [] };
  });
}

/** The counts that the default suite asserts. */
async function readAccepted(): Promise<Record<string, { statements: number; rows: number }>> {
  return JSON.parse(await readFile(join(ROOT, 'bench/ledger.json'), 'utf8'));
}

function bodyOf({ body }: { body?: unknown }): string {
  return JSON.stringify(body);
}

/** Processor time of a process for one request, in milliseconds. */
async function cpuOf({ url, pid }: ServerProcess, request: () => LoadRequest, amount: number): Promise<number> {
  const before = await cpuMsOf(pid);
  await load({ url, connections: 1, amount, requestsOf: () => [request()] });
  return ((await cpuMsOf(pid)) - before) / amount;
}
