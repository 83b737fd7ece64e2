import type { Memory } from './api.ts';
import { byId, element } from './dom.ts';
import { memoryCard } from './memory-card.ts';

type Forget = (memory: Memory, card: HTMLElement) => void;

/** The list of memories and the status line above it. */
export interface MemoryList {
  /** Users seen so far, suggested in the User field. */
  readonly users: ReadonlySet<string>;
  isEmpty(): boolean;
  /** Sets the status line, a live region for screen readers. */
  setStatus(text: string, tone?: 'info' | 'error'): void;
  append(memories: Memory[], query: string, onForget: Forget): void;
  /** Shows `content` in place of an empty list. */
  showEmpty(status: string, content: Node[]): void;
  showLoadMore(hasMore: boolean): void;
  clear(): void;
  clearUsers(): void;
}

export function createMemoryList(): MemoryList {
  const list = byId('memory-list');
  const empty = byId('list-empty');
  const status = byId('list-status');
  const users = new Set<string>();
  const setStatus: MemoryList['setStatus'] = (text, tone = 'info') => {
    status.textContent = text;
    status.classList.toggle('is-error', tone === 'error');
  };
  const offerUsers = () => {
    byId('known-users').replaceChildren(...[...users].map((user) => element('option', { value: user })));
  };
  return {
    users,
    isEmpty: () => list.childElementCount === 0,
    setStatus,
    append(memories, query, onForget) {
      list.append(...memories.map((memory) => memoryCard(memory, query, (card) => onForget(memory, card))));
      for (const { user } of memories) users.add(user);
      offerUsers();
    },
    showEmpty(text, content) {
      setStatus(text);
      empty.replaceChildren(...content);
      empty.hidden = false;
    },
    showLoadMore(hasMore) {
      byId('list-more').hidden = !hasMore;
    },
    clear() {
      for (const part of [list, empty]) part.replaceChildren();
      for (const part of [empty, byId('list-more')]) part.hidden = true;
    },
    clearUsers() {
      users.clear();
      offerUsers();
    },
  };
}
