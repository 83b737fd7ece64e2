import { expect } from 'vitest';
import type { NewSuggestion, Suggestion } from '../../../src/contract/suggestions.ts';
import type { CallOptions } from '../../helpers/daemon.ts';
import type { Caller, MemoryDaemon } from '../memories/memory-daemon.ts';
import { newAccount } from '../portability/portable-account.ts';

/** An account with shorthands for suggestions. */
export interface Suggesting extends Caller {
  /** Compares what is to be compared and returns the open suggestions, newest first. */
  compared(): Promise<Suggestion[]>;
  /** Suggests one change and fails if it is refused. */
  suggest(suggestion: Partial<NewSuggestion>): Promise<Suggestion & { duplicate?: true }>;
  suggestions(query?: string): Promise<Suggestion[]>;
  decide(id: string, decision: 'accept' | 'reject' | 'undo', options?: CallOptions): Promise<Suggestion>;
}

export async function newSuggesting(daemon: MemoryDaemon): Promise<Suggesting> {
  const caller = await newAccount(daemon);
  const suggestions = async (query = '?state=open') => {
    const { body, text, status } = await caller.call<{ data: Suggestion[] }>(`/v1/suggestions${query}`);
    expect(status, text).toBe(200);
    return body.data;
  };
  return {
    ...caller,
    suggestions,
    async compared() {
      while (await daemon.comparing.follow());
      return suggestions();
    },
    async suggest(suggestion) {
      const given = { kind: 'merge', reason: 'They say the same', ...suggestion };
      const answer = await caller.call<{ data: Suggestion[] }>('/v1/suggestions', { body: { suggestions: [given] } });
      expect(answer.status, answer.text).toBe(201);
      return answer.body.data[0]!;
    },
    async decide(id, decision, options = {}) {
      const answer = await caller.call<Suggestion>(`/v1/suggestions/${id}/${decision}`, { method: 'POST', ...options });
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
    },
  };
}
