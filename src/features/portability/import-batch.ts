import { AppError } from '../../contract/errors.ts';
import { leftOutBecause } from '../../contract/import-outcome.ts';
import type { NewMemory } from '../../contract/memories.ts';
import type { PortableMemory, PortableRecord } from '../../contract/portability.ts';
import { type ConversationDraft, conversationDraftOf } from '../conversations/conversation-transfer.ts';
import { type MessageDraft, messageDraftOf } from '../conversations/message-transfer.ts';
import { type EpisodeDraft, episodeDraftOf } from '../episodes/episode-transfer.ts';
import type { LearnedDraft, LearningTransfer } from '../learning/learning-transfer.ts';
import { type MemoryDraft, memoryDraftOf } from '../memories/memory-transfer.ts';
import type { ImportTally } from './import-tally.ts';

/** Something with the place in the file where it stands. */
export interface Placed<T> {
  place: string;
  draft: T;
}

/** What is brought in with one transaction. */
export interface ImportBatch {
  memories: Placed<MemoryDraft>[];
  conversations: Placed<ConversationDraft>[];
  messages: Placed<MessageDraft>[];
  episodes: Placed<EpisodeDraft>[];
  learned: Placed<LearnedDraft>[];
  /** Added as a caller would, with ids of their own. */
  fresh: Placed<NewMemory>[];
}

/** Gathers what is read until it is enough for a transaction. */
export interface Gathering {
  addRecord(place: string, record: PortableRecord): void;
  addFresh(place: string, memory: NewMemory): void;
  /** Ends the versions of the memory that came last. */
  endMemory(): void;
  /** Leaves the memory that came last out: more versions of it were to come. */
  dropMemory(reason: string): void;
  isFull(): boolean;
  take(): ImportBatch;
}

const MOST_RECORDS = 500;
const MOST_CHARACTERS = 1024 * 1024;
/** All versions of a memory are held at once. */
const MOST_VERSIONS_CHARACTERS = 32 * 1024 * 1024;

/** Gathers for one tenant; what cannot be kept as it is goes to the tally. */
export function createGathering(
  tenantId: string,
  tally: ImportTally,
  learning: Pick<LearningTransfer, 'draftOf'>,
): Gathering {
  let batch = emptyBatch();
  let records = 0;
  let characters = 0;
  let memory: { place: string; versions: PortableMemory[]; characters: number } | undefined;

  function grow(count: number, content: string | null): void {
    records += count;
    characters += content?.length ?? 0;
  }

  function prepared<T>(place: string, draft: () => T): Placed<T>[] {
    try {
      return [{ place, draft: draft() }];
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      tally.leaveOut(place, leftOutBecause(error));
      return [];
    }
  }

  function endMemory(): void {
    if (!memory) return;
    const { place, versions } = memory;
    if (memory.characters > MOST_VERSIONS_CHARACTERS) {
      tally.leaveOut(place, { reason: 'has more versions than can be held at once', fault: true });
    } else batch.memories.push(...prepared(place, () => memoryDraftOf(tenantId, versions)));
    memory = undefined;
  }

  function addVersion(place: string, version: PortableMemory): void {
    if (memory?.versions[0]?.id !== version.id) endMemory();
    memory ??= { place, versions: [], characters: 0 };
    memory.characters += JSON.stringify(version).length;
    if (memory.characters <= MOST_VERSIONS_CHARACTERS) memory.versions.push(version);
    grow(1, version.content);
  }

  return {
    addRecord(place, record) {
      if (record.type !== 'memory') endMemory();
      if (record.type === 'memory') addVersion(place, record);
      else if (record.type === 'conversation') {
        grow(1, record.title);
        batch.conversations.push(...prepared(place, () => conversationDraftOf(tenantId, record)));
      } else if (record.type === 'message') {
        grow(1, record.content);
        batch.messages.push(...prepared(place, () => messageDraftOf(tenantId, record)));
      } else if (record.type === 'episode') {
        grow(1, record.summary);
        batch.episodes.push(...prepared(place, () => episodeDraftOf(tenantId, record)));
      } else {
        grow(1, record.state);
        batch.learned.push(...prepared(place, () => learning.draftOf(tenantId, record)));
      }
    },
    addFresh(place, draft) {
      endMemory();
      grow(1, draft.content);
      batch.fresh.push({ place, draft });
    },
    endMemory,
    dropMemory(reason) {
      if (memory) tally.leaveOut(memory.place, { reason, fault: true });
      memory = undefined;
    },
    isFull: () => records >= MOST_RECORDS || characters >= MOST_CHARACTERS,
    take() {
      const full = batch;
      batch = emptyBatch();
      records = 0;
      characters = 0;
      return full;
    },
  };
}

function emptyBatch(): ImportBatch {
  return { memories: [], conversations: [], messages: [], episodes: [], learned: [], fresh: [] };
}
