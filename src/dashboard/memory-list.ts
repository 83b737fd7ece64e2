import type { Memory } from './api.ts';
import { byId, element } from './dom.ts';
import { memoryCard } from './memory-card.ts';

type Forget = (memory: Memory, card: HTMLElement) => void;

/** The part of the page where memories stand, with the line above that says what is shown. */
export interface MemoryList {
  /** The users seen so far; they are offered in the user field. */
  readonly users: ReadonlySet<string>;
  isEmpty(): boolean;
  /** Says what is shown or what went wrong, also to a screen reader. */
  setStatus(text: string, tone?: 'info' | 'error'): void;
  append(memories: Memory[], query: string, onForget: Forget): void;
  /** Stands in for the list where there is nothing to show. */
  showEmpty(status: string, content: Node[]): void;
  offerMore(isThereMore: boolean): void;
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
    offerMore(isThereMore) {
      byId('list-more').hidden = !isThereMore;
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
