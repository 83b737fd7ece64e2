import { expect } from 'vitest';
import type { AddedMemory, Memory } from '../../../src/contract/memories.ts';
import type { SearchAnswer } from '../../../src/contract/search.ts';
import { type Answer, type CallOptions, startTestDaemon, type TestDaemonOptions } from '../../helpers/daemon.ts';

/** A test account with shorthands for its requests. */
export interface Caller {
  apiKey: string;
  tenantId: string;
  call<T = Record<string, unknown>>(path: string, options?: CallOptions): Promise<Answer<T>>;
  /** Adds a memory and fails if it is rejected. */
  add(content: string, more?: Record<string, unknown>): Promise<AddedMemory>;
  addAll(memories: Record<string, unknown>[]): Promise<AddedMemory[]>;
  read(id: string): Promise<Answer<Memory>>;
  change(id: string, body: Record<string, unknown>, headers?: Record<string, string>): Promise<Answer<Memory>>;
  erase(id: string, headers?: Record<string, string>): Promise<Answer>;
  history(id: string, query?: string): Promise<Answer<{ data: Memory[]; nextCursor: string | null }>>;
  /** Returns the contents of one page of the list. */
  list(query?: string): Promise<string[]>;
  search(query: string, more?: Record<string, unknown>): Promise<Answer<SearchAnswer>>;
  /** Returns the contents that a search finds, best first. */
  find(query: string, more?: Record<string, unknown>): Promise<string[]>;
}

export type MemoryDaemon = Awaited<ReturnType<typeof startMemoryDaemon>>;

/** Starts a daemon whose accounts are Enterprise, so that tests do not hit limits. */
export async function startMemoryDaemon(options: TestDaemonOptions = {}) {
  const daemon = await startTestDaemon({ ...options, config: { defaultTier: 'Enterprise', ...options.config } });
  let accounts = 0;
  return {
    ...daemon,
    /** Opens a new account. */
    async account(): Promise<Caller> {
      accounts += 1;
      const { apiKey, account } = await daemon.signIn(`caller-${accounts}@example.com`);
      return createCaller(daemon.call, apiKey, account.tenantId);
    },
  };
}

type Call = Awaited<ReturnType<typeof startTestDaemon>>['call'];

export function createCaller(callDaemon: Call, apiKey: string, tenantId: string): Caller {
  const call = <T>(path: string, options?: CallOptions) => callDaemon<T>(apiKey, path, options);
  const at = (id: string) => `/v1/memories/${encodeURIComponent(id)}`;
  const search = (query: string, more = {}) => call<SearchAnswer>('/v1/search', { body: { query, ...more } });
  return {
    apiKey,
    tenantId,
    call,
    async add(content, more = {}) {
      const answer = await call<AddedMemory>('/v1/memories', { body: { content, ...more } });
      expect(answer.status, answer.text).toBeLessThan(300);
      return answer.body;
    },
    async addAll(memories) {
      const answer = await call<{ data: AddedMemory[] }>('/v1/memories/batch', { body: { memories } });
      expect(answer.status, answer.text).toBe(201);
      return answer.body.data;
    },
    read: (id) => call<Memory>(at(id)),
    change: (id, body, headers = {}) => call<Memory>(at(id), { method: 'PATCH', body, headers }),
    erase: (id, headers = {}) => call(at(id), { method: 'DELETE', headers }),
    history: (id, query = '') => call<{ data: Memory[]; nextCursor: string | null }>(`${at(id)}/history${query}`),
    async list(query = '') {
      const answer = await call<{ data: Memory[] }>(`/v1/memories${query}`);
      expect(answer.status, answer.text).toBe(200);
      return answer.body.data.map(({ content }) => content);
    },
    search,
    async find(query, more) {
      const answer = await search(query, more);
      expect(answer.status, answer.text).toBe(200);
      return answer.body.results.map(({ content }) => content);
    },
  };
}

/** Formats an instant as the API does. */
export function instant(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
