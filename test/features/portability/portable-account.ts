import { expect } from 'vitest';
import type { Tier } from '../../../src/contract/limits.ts';
import type { ImportReport } from '../../../src/contract/portability.ts';
import type { Answer } from '../../helpers/daemon.ts';
import { makeTenant } from '../limits/tenants.ts';
import { type Caller, createCaller, type MemoryDaemon } from '../memories/memory-daemon.ts';

export const NONE = { memories: 0, conversations: 0, messages: 0, episodes: 0, learned: 0, suggestions: 0 };

/** Shorthand for exports and imports by a caller. */
export function portable({ call }: Pick<Caller, 'call'>) {
  const send = <T = ImportReport>(body: string | Uint8Array, query = '', type = 'application/x-ndjson') =>
    call<T>(`/v1/import${query}`, { method: 'POST', body, headers: { 'content-type': type } });
  return {
    /** Returns the export as text. */
    async text(query = ''): Promise<string> {
      const answer: Answer = await call(`/v1/export${query}`);
      expect(answer.status, answer.text).toBe(200);
      expect(answer.text.trimEnd().split('\n').at(-1)).toMatch(/^\{"type":"end"/);
      return answer.text;
    },
    /** Returns the lines of the export without the head, which holds the time of the export. */
    async lines(query = ''): Promise<string[]> {
      return (await this.text(query)).split('\n').slice(1, -1);
    },
    send,
    /** Imports a file and expects it to be accepted. */
    async importFile(body: string | object[], query = ''): Promise<ImportReport> {
      const text = typeof body === 'string' ? body : body.map((line) => `${JSON.stringify(line)}\n`).join('');
      const answer = await send(text, query);
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
    },
  };
}

let accounts = 0;

/** Creates an account without a sign-in by email. */
export async function newAccount(daemon: MemoryDaemon, tier: Tier = 'Enterprise'): Promise<Caller> {
  accounts += 1;
  const { apiKey, tenantId } = await makeTenant(daemon, `portable-${accounts}@example.com`, tier);
  return createCaller(daemon.call, apiKey, tenantId);
}

let generated = 0;

/** Returns the only version of a memory, with a generated id unless one is given. */
export function version(more: Record<string, unknown> = {}) {
  generated += 1;
  const at = '2026-01-01T10:00:00.000Z';
  return {
    type: 'memory',
    id: `mem_${generated.toString(16).padStart(32, '0')}`,
    content: `Memory ${generated}`,
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
