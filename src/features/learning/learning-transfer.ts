import { AppError } from '../../contract/errors.ts';
import type { ImportOutcome } from '../../contract/import-outcome.ts';
import type { PortableLearned } from '../../contract/portability.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { parseInstant } from '../../db/row-codec.ts';
import { toTimestamp } from '../../lib/clock.ts';
import { rootOf } from '../text/word-forms.ts';
import type { LearnedCache } from './learned-cache.ts';
import { decodeLearnedState, encodeLearnedState } from './learned-state.ts';
import type { LearnedWord } from './learned-words.ts';
import { listWords, MAX_WORDS, upsertWords } from './learned-words-store.ts';
import {
  findLearnedUsers,
  type LearnedFilter,
  type LearnedRow,
  listLearned,
  upsertLearned,
  upsertSwitches,
} from './learning-store.ts';
import { findItems } from './word-learning.ts';

/** A learned state to import. */
export type LearnedDraft = LearnedRow & { words: LearnedWord[] };

/** Exports and imports learned states. */
export interface LearningTransfer {
  /** Reads one page, ordered by user. */
  read(reader: Reader, filter: LearnedFilter): Promise<PortableLearned[]>;
  /** Converts an exported state for storage. Throws `invalid_request` for a state that cannot be decoded. */
  draftOf(tenantId: string, learned: PortableLearned): LearnedDraft;
  /**
   * Imports in the caller's transaction and returns an outcome for each draft: `known` for a user who already has a
   * learned state.
   */
  restore(connection: Connection, drafts: readonly LearnedDraft[]): Promise<ImportOutcome[]>;
  /** Reports that the transaction of `restore` was committed, so that searches use the added states. */
  confirm(added: readonly LearnedDraft[]): void;
}

interface Parts {
  signals: readonly string[];
  cache: Pick<LearnedCache, 'forget'>;
}

/** `signals` are the current names; `cache` is cleared for imported users. */
export function createLearningTransfer({ signals, cache }: Parts): LearningTransfer {
  return {
    async read(reader, filter) {
      const exported: PortableLearned[] = [];
      for (const row of await listLearned(reader, filter)) {
        const all = { itemId: undefined, after: undefined, limit: MAX_WORDS };
        exported.push(toPortable(row, await listWords(reader, row, all)));
      }
      return exported;
    },
    draftOf(tenantId, { user, state, events, updatedAt, usesWords = true, infersUses = true, words = [] }) {
      const decoded = decodeLearnedState(Buffer.from(state, 'base64url'), signals);
      if (decoded.events !== events) throw undecodable();
      return {
        tenantId,
        endUser: user,
        state: encodeLearnedState(decoded),
        events,
        updatedAt: parseInstant(updatedAt, '/updatedAt'),
        usesWords: usesWords ? 1 : 0,
        infersUses: infersUses ? 1 : 0,
        words: words.map(({ lastUsedAt, ...word }, at) => ({
          ...word,
          root: rootOf(word.word),
          updatedAt: parseInstant(lastUsedAt, `/words/${at}/lastUsedAt`),
        })),
      };
    },
    async restore(connection, drafts) {
      const [tenantId = ''] = drafts.map((draft) => draft.tenantId);
      const users = drafts.map(({ endUser }) => endUser);
      const known = new Set(await findLearnedUsers(connection, tenantId, users));
      const outcomes: ImportOutcome[] = [];
      for (const draft of drafts) {
        const isKnown = known.has(draft.endUser);
        outcomes.push(isKnown ? 'known' : 'added');
        if (!isKnown) await addLearned(connection, draft);
        known.add(draft.endUser);
      }
      return outcomes;
    },
    confirm(added) {
      for (const { tenantId, endUser } of added) cache.forget(tenantId, endUser);
    },
  };
}

/** Stores a state with the words that lead to items which are there. */
async function addLearned(connection: Connection, { words, ...learned }: LearnedDraft): Promise<void> {
  await upsertLearned(connection, learned);
  await upsertSwitches(connection, learned);
  const items = await findItems(
    connection,
    learned.tenantId,
    words.map(({ itemId }) => itemId),
  );
  const distinct = new Map(words.map((word) => [`${word.root} ${word.itemId}`, word]));
  await upsertWords(
    connection,
    learned,
    [...distinct.values()].filter(({ itemId }) => items.has(itemId)),
  );
}

function toPortable(
  { endUser, state, events, updatedAt, usesWords, infersUses }: LearnedRow,
  words: readonly LearnedWord[],
): PortableLearned {
  return {
    type: 'learned',
    user: endUser,
    state: state.toString('base64url'),
    events,
    updatedAt: toTimestamp(updatedAt),
    ...(usesWords === 0 && { usesWords: false }),
    ...(infersUses === 0 && { infersUses: false }),
    ...(words.length > 0 && {
      words: words.map(({ root: _root, updatedAt: at, ...word }) => ({ ...word, lastUsedAt: toTimestamp(at) })),
    }),
  };
}

function undecodable(): AppError {
  const message = 'cannot be read: it is damaged or of another version of svc';
  return new AppError('invalid_request', `The state ${message}.`, { errors: [{ path: '/state', message }] });
}
