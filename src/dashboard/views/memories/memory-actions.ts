import { signal } from '@preact/signals';
import {
  ApiError,
  type Client,
  type Memory,
  type MemoryChange,
  type MemoryFilter,
  type UpdatedMemories,
} from '../../../client/client.ts';
import { systemClock } from '../../../lib/clock.ts';
import { describeError } from '../../errors.ts';
import { formatCount } from '../../format.ts';
import { announce } from '../../live.ts';
import { doUnlessUndone, showToast, showUndoToast } from '../../parts/toasts.tsx';
import { endSessionOn } from '../../session.ts';
import { undoGroups, undoOf } from './memory-changes.ts';

/** Memories that are hidden, because they are about to be forgotten or just were. */
export const forgotten = signal<ReadonlySet<string>>(new Set());

/** How often memories were hidden to be forgotten, without what was undone, and how often they were erased then. */
export const forgets = signal({ begun: 0, done: 0 });

/** Changes are announced again by the daemon some time after this page has made them. */
const OWN_CHANGE_MS = 3000;
let lastChangeMs = Number.NEGATIVE_INFINITY;

/** Whether this page made a change just now, so that the list shows it already. */
export function isOwnChange(): boolean {
  return systemClock.monotonicMs() - lastChangeMs < OWN_CHANGE_MS;
}

function announceOwn(): void {
  lastChangeMs = systemClock.monotonicMs();
  announce('memory');
}

/** A memory with its `ETag`. */
export interface ReadMemory {
  memory: Memory;
  etag: string | undefined;
}

/** Whether a change was refused because the memory had changed since it was read. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 412;
}

/**
 * Changes a memory as it was read and offers to undo it. `onChange` gets the memory after the change and after the undo. Throws
 * what the daemon answers, such as the conflict with another change.
 */
export async function changeMemory(
  client: Client,
  { memory, etag }: ReadMemory,
  change: MemoryChange,
  { done, onChange }: { done: string; onChange: (memory: Memory) => void },
): Promise<void> {
  const { data, response } = await client.memories.update(memory.id, change, { ifMatch: etag }).withResponse();
  onChange(data);
  announceOwn();
  const undo = undoOf(memory, change);
  if (!undo) return;
  showUndoToast(done, () => {
    reportFailure(async () => {
      onChange(await client.memories.update(memory.id, undo, { ifMatch: response.etag }));
      announceOwn();
    });
  });
}

/** Changes several memories and offers to undo it where the memories are known. */
export async function changeMany(
  client: Client,
  selected: { memories: readonly Memory[] } | { filter: MemoryFilter },
  change: MemoryChange,
  onChange: () => void,
): Promise<void> {
  const isKnown = 'memories' in selected;
  const selection = isKnown ? { ids: selected.memories.map(({ id }) => id) } : selected;
  const outcome = await client.memories.updateMany({ ...selection, change });
  onChange();
  announceOwn();
  const done = describeOutcome(outcome);
  const groups = isKnown ? undoGroups(selected.memories, change) : [];
  if (groups.length === 0) showToast(done);
  else {
    showUndoToast(done, () => {
      reportFailure(async () => {
        for (const group of groups) await client.memories.updateMany(group);
        onChange();
        announceOwn();
      });
    });
  }
}

function describeOutcome({ updated, failed }: UpdatedMemories): string {
  const done = `Changed ${formatCount(updated, 'memory', 'memories')}.`;
  return failed.length === 0 ? done : `${done} ${formatCount(failed.length, 'was', 'were')} left: ${failed[0]!.detail}`;
}

/** The most memories that can be forgotten with an undo: their ids fit a request that outlives the page. */
export const MAX_UNDOABLE = 1000;

/** The most conversations that can be forgotten with an undo: each takes a request that may have to outlive the page. */
export const MAX_UNDOABLE_CONVERSATIONS = 20;

/** `2 memories and 1 conversation`. */
export function describeForgotten(memories: number, conversations: number): string {
  const forgotten = formatCount(memories, 'memory', 'memories');
  return conversations === 0
    ? forgotten
    : `${forgotten} and ${formatCount(conversations, 'conversation', 'conversations')}`;
}

/** Hides memories, and erases them and the conversations unless the user undoes it in time. */
export function forgetMemories(client: Client, ids: readonly string[], conversationIds: readonly string[] = []): void {
  forgotten.value = new Set([...forgotten.peek(), ...ids]);
  forgets.value = { ...forgets.peek(), begun: forgets.peek().begun + 1 };
  doUnlessUndone({
    text:
      ids.length === 1 && conversationIds.length === 0
        ? 'Forgot the memory.'
        : `Forgot ${describeForgotten(ids.length, conversationIds.length)}.`,
    act: () =>
      rethrown(async () => {
        // All at once: what has not been sent when the page is left is not sent any more.
        await Promise.all([
          client.memories.deleteMany({ ids: [...ids] }),
          forgetConversations(client, conversationIds),
        ]);
        forgets.value = { ...forgets.peek(), done: forgets.peek().done + 1 };
        announceOwn();
      }),
    revert: () => {
      forgets.value = { ...forgets.peek(), begun: forgets.peek().begun - 1 };
      forgotten.value = new Set([...forgotten.peek()].filter((id) => !ids.includes(id)));
    },
  });
}

/** Erases many memories at once. The caller has asked first: this cannot be undone. */
export async function forgetMany(
  client: Client,
  selection: { ids: string[] } | { filter: MemoryFilter },
): Promise<void> {
  const { deleted } = await client.memories.deleteMany(selection);
  announceOwn();
  showToast(`Forgot ${formatCount(deleted, 'memory', 'memories')}.`);
}

/** Erases conversations with their messages and episodes. One that is erased already counts as erased. */
export async function forgetConversations(client: Client, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  for (let start = 0; start < ids.length; start += MAX_UNDOABLE_CONVERSATIONS) {
    const some = ids.slice(start, start + MAX_UNDOABLE_CONVERSATIONS);
    await Promise.all(
      some.map((id) =>
        client.conversations.delete(id).catch((error: unknown) => {
          if (!(error instanceof ApiError && error.status === 404)) throw error;
        }),
      ),
    );
  }
  announce('conversation');
}

/** Shows the error of an action that has no other place to show it. */
export function reportFailure(act: () => Promise<void>): void {
  rethrown(act).catch(() => undefined);
}

async function rethrown(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    endSessionOn(error);
    const conflict = 'This memory was changed elsewhere. Open it again to see how it is now.';
    showToast(isConflict(error) ? conflict : describeError(error), 'error');
    throw error;
  }
}
