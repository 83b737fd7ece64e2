import { expect } from 'vitest';
import type { ProviderSettings } from '../../../src/contract/provider-settings.ts';
import type { TestDaemonOptions } from '../../helpers/daemon.ts';
import type { ProviderServer } from '../../helpers/providers/server.ts';
import { type Caller, startMemoryDaemon } from '../memories/memory-daemon.ts';

export type OwnModelsDaemon = Awaited<ReturnType<typeof startOwnModelsDaemon>>;

/** An account with its own provider keys and embedding model. */
export interface Owner extends Caller {
  /** Stores a key for the server's provider, which must accept it. */
  bring(server: ProviderServer, key?: string): Promise<void>;
  /** Chooses a model; the key exists already. */
  choose(server: ProviderServer, model?: string): Promise<void>;
  takeBack(): Promise<void>;
  removeKey(server: ProviderServer): Promise<void>;
  settings(): Promise<ProviderSettings>;
}

/** A daemon that may call providers on loopback. */
export async function startOwnModelsDaemon(options: TestDaemonOptions = {}) {
  const providerHosts = [{ host: '127.0.0.1', port: undefined }];
  const daemon = await startMemoryDaemon({ ...options, config: { providerHosts, ...options.config } });
  const numbers = (sql: string, values: string[] = []) =>
    daemon.db.readers.all<{ number: number }>(sql, values).then((rows) => rows.length);
  return {
    ...daemon,
    owner: async () => ownerOf(await daemon.account()),
    /** Embeds everything that is waiting and due, for the operator's model and the tenants'. */
    async embed() {
      for (let round = 0; round < 2; round += 1) {
        await daemon.embeddings.follow();
        await daemon.tenantEmbeddings.follow();
        await daemon.tenantEmbeddings.settled();
      }
    },
    models: (tenantId: string) =>
      daemon.db.readers.all<{ name: string; state: string }>(
        'SELECT name, state FROM embeddingModels WHERE tenantId = ? ORDER BY id',
        [tenantId],
      ),
    /** Vectors from the tenant's own models. */
    vectors: (tenantId: string) =>
      numbers(`SELECT number FROM vectors WHERE model IN (SELECT id FROM embeddingModels WHERE tenantId = ?)`, [
        tenantId,
      ]),
    /** Everything recorded about a tenant's embeddings. */
    traces: (tenantId: string) =>
      numbers(
        `SELECT number FROM vectors WHERE tenantId = ? UNION ALL SELECT number FROM unembedded WHERE tenantId = ?
         UNION ALL SELECT id FROM embeddingModels WHERE tenantId = ?
         UNION ALL SELECT requests FROM providerUsage WHERE tenantId = ?`,
        [tenantId, tenantId, tenantId, tenantId],
      ),
  };
}

/** The same account, with provider keys. */
export function ownerOf(caller: Caller): Owner {
  const change = async (embedding: object | null) => {
    const answer = await caller.call('/v1/provider-settings', { method: 'PATCH', body: { embedding } });
    expect(answer.status, answer.text).toBe(200);
  };
  const bring = async ({ kind, baseUrl }: ProviderServer, key = 'key-of-the-test') => {
    const answer = await caller.call(`/v1/provider-keys/${kind}`, { method: 'PUT', body: { key, baseUrl } });
    expect(answer.status, answer.text).toBe(200);
  };
  return {
    ...caller,
    bring,
    choose: (server, model = server.embedding) => change({ provider: server.kind, model }),
    takeBack: () => change(null),
    async removeKey({ kind }) {
      expect((await caller.call(`/v1/provider-keys/${kind}`, { method: 'DELETE' })).status).toBe(204);
    },
    settings: async () => (await caller.call<ProviderSettings>('/v1/provider-settings')).body,
  };
}

/** The texts that a server was asked to embed, one list per request. */
export function embedded({ requests }: ProviderServer): string[][] {
  return requests.filter(({ path }) => /\/embed(dings)?$/.test(path)).map(({ body }) => body!.input as string[]);
}

/** Resolves once the server has received an embedding request. */
export async function untilAsked(server: ProviderServer): Promise<void> {
  await expect.poll(() => embedded(server)).not.toEqual([]);
}
