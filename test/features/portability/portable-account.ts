import { expect } from 'vitest';
import type { Tier } from '../../../src/contract/limits.ts';
import type { ImportReport } from '../../../src/contract/portability.ts';
import type { Answer } from '../../helpers/daemon.ts';
import { makeTenant } from '../limits/tenants.ts';
import { type Caller, createCaller, type MemoryDaemon } from '../memories/memory-daemon.ts';

export const NONE = { memories: 0, conversations: 0, messages: 0, episodes: 0, learned: 0 };

/** What a caller does with whole accounts, in short words. */
export function portable({ call }: Pick<Caller, 'call'>) {
  const send = <T = ImportReport>(body: string | Uint8Array, query = '', type = 'application/x-ndjson') =>
    call<T>(`/v1/import${query}`, { method: 'POST', body, headers: { 'content-type': type } });
  return {
    /** The export as it is. */
    async text(query = ''): Promise<string> {
      const answer: Answer = await call(`/v1/export${query}`);
      expect(answer.status, answer.text).toBe(200);
      expect(answer.text.trimEnd().split('\n').at(-1)).toMatch(/^\{"type":"end"/);
      return answer.text;
    },
    /** Its lines without the first one, which names the moment. */
    async lines(query = ''): Promise<string[]> {
      return (await this.text(query)).split('\n').slice(1, -1);
    },
    send,
    /** An import that must be taken. */
    async take(body: string | object[], query = ''): Promise<ImportReport> {
      const text = typeof body === 'string' ? body : body.map((line) => `${JSON.stringify(line)}\n`).join('');
      const answer = await send(text, query);
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
    },
  };
}

let accounts = 0;

/** A fresh account, without the mail of a sign-in. */
export async function newAccount(daemon: MemoryDaemon, tier: Tier = 'Enterprise'): Promise<Caller> {
  accounts += 1;
  const { apiKey, tenantId } = await makeTenant(daemon, `portable-${accounts}@example.com`, tier);
  return createCaller(daemon.call, apiKey, tenantId);
}

let made = 0;

/** A memory's only version, of a made-up id unless one is given. */
export function version(more: Record<string, unknown> = {}) {
  made += 1;
  const at = '2026-01-01T10:00:00.000Z';
  return {
    type: 'memory',
    id: `mem_${made.toString(16).padStart(32, '0')}`,
    content: `Memory ${made}`,
    user: 'default',
    tags: [],
    metadata: {},
    source: null,
    occurredAt: null,
    expiresAt: null,
    validFrom: at,
    validTo: null,
    supersededBy: null,
    version: 1,
    createdAt: at,
    updatedAt: at,
    ...more,
  };
}
