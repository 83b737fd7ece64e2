import { expect } from 'vitest';
import type { Conversation, Message } from '../../../src/contract/conversations.ts';
import type { Episode } from '../../../src/contract/episodes.ts';
import type { Answer, CallOptions } from '../../helpers/daemon.ts';
import type { Caller } from '../memories/memory-daemon.ts';

/** Shorthands for requests about conversations and episodes; each fails if it is rejected. */
export function conversing({ call }: Pick<Caller, 'call'>) {
  async function must<T>(status: number, path: string, options?: CallOptions): Promise<T> {
    const answer: Answer<T> = await call<T>(path, options);
    expect(answer.status, answer.text).toBe(status);
    return answer.body;
  }
  const at = (id: string) => `/v1/conversations/${id}`;
  return {
    begin: (body: object = {}) => must<Conversation>(201, '/v1/conversations', { body }),
    read: (id: string) => must<Conversation>(200, at(id)),
    async append(id: string, messages: object[], headers: Record<string, string> = {}): Promise<Message[]> {
      const body = { messages };
      return (await must<{ data: Message[] }>(201, `${at(id)}/messages`, { body, headers })).data;
    },
    /** Appends user messages with these contents. */
    async say(id: string, ...contents: string[]): Promise<Message[]> {
      const body = { messages: contents.map((content) => ({ role: 'user', content })) };
      return (await must<{ data: Message[] }>(201, `${at(id)}/messages`, { body })).data;
    },
    page: (id: string, query = '') =>
      must<{ data: Message[]; nextCursor: string | null }>(200, `${at(id)}/messages${query}`),
    erase: (path: string) => must<undefined>(204, `/v1/${path}`, { method: 'DELETE' }),
    async cut(id: string): Promise<Episode[]> {
      return (await must<{ data: Episode[] }>(201, `${at(id)}/episodes`, { method: 'POST' })).data;
    },
    episode: (body: object) => must<Episode>(201, '/v1/episodes', { body }),
    readEpisode: (id: string) => must<Episode>(200, `/v1/episodes/${id}`),
    async episodes(query = ''): Promise<Episode[]> {
      return (await must<{ data: Episode[] }>(200, `/v1/episodes${query}`)).data;
    },
  };
}

export const SPAN = { startedAt: '2026-01-01T10:00:00.000Z', endedAt: '2026-01-01T11:00:00.000Z' };
