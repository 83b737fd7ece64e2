import { AppError } from '../../contract/errors.ts';
import { skipReasonOf } from '../../contract/import-outcome.ts';
import type { NewMemory } from '../../contract/memories.ts';
import type { PortableMemory, PortableRecord } from '../../contract/portability.ts';
import { type ConversationDraft, conversationDraftOf } from '../conversations/conversation-import-export.ts';
import { type MessageDraft, messageDraftOf } from '../conversations/message-import-export.ts';
import { type EpisodeDraft, episodeDraftOf } from '../episodes/episode-import-export.ts';
import type { Extracted } from '../extraction/extraction-import-export.ts';
import type { Principal } from '../keys/keys.ts';
import type { LearnedDraft, LearningTransfer } from '../learning/learning-transfer.ts';
import { type MemoryDraft, memoryDraftOf, versionRowOf } from '../memories/memory-import-export.ts';
import type { SuggestionTransfer } from '../suggestions/suggestion-transfer.ts';
import type { SuggestionRow } from '../suggestions/suggestions.ts';
import type { ReportBuilder } from './import-report.ts';

/** A draft and its location in the file. */
export interface LocatedDraft<T> {
  place: string;
  draft: T;
}

/** The drafts that one transaction writes. */
export interface ImportBatch {
  memories: LocatedDraft<MemoryDraft>[];
  conversations: LocatedDraft<ConversationDraft>[];
  /** How far those were read, where they were. */
  extracted: Extracted[];
  messages: LocatedDraft<MessageDraft>[];
  episodes: LocatedDraft<EpisodeDraft>[];
  learned: LocatedDraft<LearnedDraft>[];
  suggestions: LocatedDraft<SuggestionRow>[];
  /** Added as a client adds them: they get new ids. */
  newMemories: LocatedDraft<NewMemory>[];
}

/** Collects parsed items until there are enough for one transaction. */
export interface BatchBuilder {
  addRecord(place: string, record: PortableRecord): void;
  addNewMemory(place: string, memory: NewMemory): void;
  /** Completes the last memory: no more versions of it follow. */
  endMemory(): void;
  /** Skips the last memory, because its later versions are missing. */
  dropMemory(reason: string): void;
  isFull(): boolean;
  take(): ImportBatch;
}

const MAX_RECORDS = 500;
const MAX_CHARACTERS = 256 * 1024;
/** All versions of one memory are held in memory at once. */
const MAX_VERSIONS_CHARACTERS = 32 * 1024 * 1024;
const TOO_MANY_VERSIONS = `its versions exceed ${MAX_VERSIONS_CHARACTERS} characters in total`;

/** Creates a builder for one tenant; reports the records that cannot be stored. */
export function createBatchBuilder(
  writer: Pick<Principal, 'tenantId' | 'author'>,
  report: ReportBuilder,
  learning: Pick<LearningTransfer, 'draftOf'>,
  suggestions: Pick<SuggestionTransfer, 'draftOf'>,
): BatchBuilder {
  const { tenantId } = writer;
  let batch = emptyBatch();
  let records = 0;
  let characters = 0;
  let memory: { place: string; id: string; versions: MemoryDraft; characters: number; fault?: AppError } | undefined;

  function countRecord(content: string | null): void {
    records += 1;
    characters += content?.length ?? 0;
  }

  function tryDraft<T>(place: string, toDraft: () => T): LocatedDraft<T>[] {
    try {
      return [{ place, draft: toDraft() }];
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      report.skip(place, skipReasonOf(error));
      return [];
    }
  }

  function endMemory(): void {
    if (!memory) return;
    const { place, versions, fault } = memory;
    if (fault) report.skip(place, skipReasonOf(fault));
    else if (memory.characters > MAX_VERSIONS_CHARACTERS) {
      report.skip(place, { reason: TOO_MANY_VERSIONS, fault: true });
    } else batch.memories.push(...tryDraft(place, () => memoryDraftOf(versions)));
    memory = undefined;
  }

  function addVersion(place: string, version: PortableMemory): void {
    if (memory?.id !== version.id) endMemory();
    memory ??= { place, id: version.id, versions: [], characters: 0 };
    memory.characters += JSON.stringify(version).length;
    countRecord(version.content);
    if (memory.fault || memory.characters > MAX_VERSIONS_CHARACTERS) return;
    try {
      memory.versions.push(versionRowOf(writer, version));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      memory.fault = error;
    }
  }

  return {
    addRecord(place, record) {
      if (record.type !== 'memory') endMemory();
      if (record.type === 'memory') addVersion(place, record);
      else if (record.type === 'conversation') {
        countRecord(record.title);
        batch.conversations.push(...tryDraft(place, () => conversationDraftOf(tenantId, record)));
        const { id: conversationId, extractedThrough: throughOrdinal } = record;
        if (throughOrdinal !== undefined) batch.extracted.push({ conversationId, throughOrdinal });
      } else if (record.type === 'message') {
        countRecord(record.content);
        batch.messages.push(...tryDraft(place, () => messageDraftOf(writer, record)));
      } else if (record.type === 'episode') {
        countRecord(record.summary);
        batch.episodes.push(...tryDraft(place, () => episodeDraftOf(tenantId, record)));
      } else if (record.type === 'suggestion') {
        countRecord(JSON.stringify(record));
        batch.suggestions.push(...tryDraft(place, () => suggestions.draftOf(tenantId, record)));
      } else {
        countRecord(record.state);
        batch.learned.push(...tryDraft(place, () => learning.draftOf(tenantId, record)));
      }
    },
    addNewMemory(place, draft) {
      endMemory();
      countRecord(draft.content);
      batch.newMemories.push({ place, draft });
    },
    endMemory,
    dropMemory(reason) {
      if (memory) report.skip(memory.place, { reason, fault: true });
      memory = undefined;
    },
    isFull: () => records >= MAX_RECORDS || characters >= MAX_CHARACTERS,
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
  return {
    memories: [],
    conversations: [],
    extracted: [],
    messages: [],
    episodes: [],
    learned: [],
    suggestions: [],
    newMemories: [],
  };
}
