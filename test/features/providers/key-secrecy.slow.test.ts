import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProviderKey } from '../../../src/contract/providers.ts';
import { backUp } from '../../../src/daemon/backup.ts';
import { readConfig } from '../../../src/daemon/config.ts';
import { onPostgres } from '../../helpers/postgres/folder-databases.ts';
import { type ProviderServer, PUBLISHED } from '../../helpers/providers/server.ts';
import { DATABASE_PLACES, storedBytes } from '../../helpers/stored-bytes.ts';
import { converse, extract, extractAndWait, extracted, untilJob } from '../extraction/extraction-daemon.ts';
import type { Caller, MemoryDaemon } from '../memories/memory-daemon.ts';
import { putKey, startProviderDaemon, startProviderServer } from './provider-daemon.ts';

const PLANTED = ['sk-canary-7f3a0001-openai', 'sk-canary-7f3a0002-anthropic', 'sk-canary-7f3a0003-google'];
const FORMS = PLANTED.flatMap((key) => [
  key,
  Buffer.from(key).toString('base64').slice(0, 28),
  encodeURIComponent(key),
]);

let daemon: MemoryDaemon;
let servers: ProviderServer[];
let caller: Caller;
const answers: string[] = [];

/** Calls the API and records every response. */
async function call(path: string, options = {}): Promise<void> {
  const { headers, text } = await caller.call(path, options);
  answers.push(JSON.stringify([...headers]), text);
}

beforeAll(async () => {
  daemon = await startProviderDaemon();
  const kinds = ['openai', 'anthropic', 'google'] as const;
  servers = await Promise.all(kinds.map((kind, index) => startProviderServer(kind, { key: PLANTED[index]! })));
  caller = await daemon.account();
  for (const [index, server] of servers.entries()) {
    server.respond(() => ({ memories: [extracted('Ada drinks tea.', [1])] }));
    answers.push((await putKey(caller, server, PLANTED[index]!)).text);
    answers.push((await putKey(caller, server, `${PLANTED[index]}-wrong`)).text);
  }
});
afterAll(async () => {
  await daemon.close();
  for (const server of servers) await server.close();
});

/** Finds where one of the texts occurs. */
function found(texts: readonly (string | Buffer)[], places: ReadonlyMap<string, Buffer | string>): string[] {
  return [...places].flatMap(([place, content]) =>
    texts.filter((text) => Buffer.from(content as string).includes(text)).map(() => place),
  );
}

describe('a provider key', () => {
  test('appears in no file, log, backup, export, metric or response, whatever goes wrong with it', async () => {
    const [openai, anthropic] = servers as [ProviderServer, ProviderServer, ProviderServer];
    await extractAndWait(caller, await converse(caller, ['I drink tea.']), { provider: 'anthropic' });
    openai.next(PUBLISHED.openai.rateLimit, PUBLISHED.openai.broken, 'redirect', 'reset', PUBLISHED.openai.wrongKey);
    for (let round = 0; round < 5; round += 1) await call('/v1/provider-keys/openai/validate', { method: 'POST' });
    anthropic.next(PUBLISHED.anthropic.wrongKey, { status: 500, body: PLANTED[1]! });
    for (const body of [{ provider: 'anthropic' }, { provider: 'anthropic' }]) {
      const jobId = await extract(caller, await converse(caller, ['I drink tea.']), body);
      await untilJob(caller, jobId, ({ error }) => error !== null);
      await call(`/v1/jobs/${jobId}`);
    }
    await call('/v1/provider-keys/openai', { method: 'PUT', body: { key: PLANTED[0], model: 'unknown field' } });
    await call('/v1/provider-keys/openai', { method: 'PUT', body: { key: PLANTED[0], baseUrl: 'https://127.0.0.9' } });
    for (const path of ['provider-keys', 'provider-keys/openai', 'provider-settings', 'jobs', 'export', 'account']) {
      await call(`/v1/${path}`);
    }
    await call('/metrics');
    if (!onPostgres) {
      const config = readConfig({ dataDir: daemon.folder }, {}, '');
      const backup = join(daemon.folder, 'backup.db');
      await backUp(config, backup, { force: false, onProgress: () => {}, signal: new AbortController().signal });
    }

    const places = await storedBytes(daemon);
    expect([...places.keys()]).toEqual(
      expect.arrayContaining([...DATABASE_PLACES, ...(onPostgres ? [] : ['backup.db'])]),
    );
    expect(daemon.logLines.length).toBeGreaterThan(5);
    const all = new Map<string, Buffer | string>([
      ...places,
      ['log', daemon.logLines.join('')],
      ['answers', answers.join('\n')],
    ]);
    expect(found(FORMS, all)).toEqual([]);
    // Check that the search works: it finds what may be shown.
    expect(found(['enai', 'opic'], new Map([['answers', answers.join('\n')]]))).toHaveLength(2);
    expect(found(['I drink tea.'], places).length).toBeGreaterThan(0);
  });

  test('is sent to its provider only', () => {
    for (const [index, server] of servers.entries()) {
      const seen = JSON.stringify(server.requests.map(({ headers, query }) => [headers, [...query]]));
      expect(seen).toContain(PLANTED[index]!);
      for (const other of PLANTED.filter((key) => key !== PLANTED[index])) expect(seen).not.toContain(other);
      expect(JSON.stringify(server.requests.map(({ path, query }) => [path, [...query]]))).not.toContain('canary');
    }
  });

  test.each(['removed', 'erased with its account'])('leaves no ciphertext in the files when %s', async (how) => {
    const own = await daemon.account();
    await putKey(own, servers[0]!, PLANTED[0]!);
    const row = await daemon.db.readers.get<{ sealed: Buffer; wrapped: Buffer }>(
      'SELECT k.sealed, d.wrapped FROM providerKeys k JOIN dataKeys d ON d.tenantId = k.tenantId WHERE k.tenantId = ?',
      [own.tenantId],
    );
    const { sealed, wrapped } = row!;
    const inDatabase = async () => {
      const places = [...(await storedBytes(daemon))].filter(([place]) => onPostgres || /svc\.db/.test(place));
      return found([sealed, wrapped], new Map(places));
    };
    expect((await inDatabase()).length).toBeGreaterThanOrEqual(2);
    const path = how === 'removed' ? '/v1/provider-keys/openai' : '/v1/account';
    expect((await own.call<ProviderKey>(path, { method: 'DELETE' })).status).toBe(204);
    expect(await inDatabase()).toEqual([]);
  });
});
