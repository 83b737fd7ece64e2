import type { LearnedWord, LearnedWordsQuery, LearnedWordsSelection } from '../../contract/learned-words.ts';
import type { Database } from '../../db/open.ts';
import { type Clock, toTimestamp } from '../../lib/clock.ts';
import type { Principal } from '../keys/keys.ts';
import type { Cursors } from '../text/page-cursor.ts';
import { termsOf } from '../text/terms.ts';
import { rootOf } from '../text/word-forms.ts';
import { strengthAt } from './learned-words.ts';
import { deleteSelectedWords, listWords, type WordPosition } from './learned-words-store.ts';
import { itemTypeOf } from './remembered-search.ts';
import { findItems } from './word-learning.ts';

type Tenant = Pick<Principal, 'tenantId'>;

/** The learned words of each user, to look at and to forget. */
export interface LearnedWords {
  /** The last used first. */
  list(principal: Tenant, query: LearnedWordsQuery): Promise<{ data: LearnedWord[]; nextCursor: string | null }>;
  forget(principal: Tenant, selection: LearnedWordsSelection): Promise<void>;
}

/** Lists words with the text of what they lead to. */
export function createLearnedWords({
  db,
  clock,
  cursors,
}: {
  db: Database;
  clock: Clock;
  cursors: Cursors;
}): LearnedWords {
  return {
    async list({ tenantId }, { user = 'default', itemId, limit = 50, cursor }) {
      const boundTo = ['learnedWords', tenantId, user, itemId ?? null];
      const after = cursor === undefined ? undefined : (JSON.parse(cursors.read(cursor, boundTo)) as WordPosition);
      const reader = db.readers.of(tenantId);
      const rows = await listWords(reader, { tenantId, endUser: user }, { itemId, after, limit: limit + 1 });
      const page = cursors.page(rows, limit, boundTo, ({ updatedAt, root, itemId: id }) =>
        JSON.stringify({ updatedAt, root, itemId: id }),
      );
      const items = await findItems(
        reader,
        tenantId,
        page.data.map((one) => one.itemId),
      );
      const data = page.data.map((one) => ({
        word: one.word,
        type: itemTypeOf(one.itemId),
        itemId: one.itemId,
        text: items.get(one.itemId)?.text ?? '',
        uses: one.uses,
        observedUses: one.observedUses,
        strength: Math.round(strengthAt(one, clock.nowMs()) * 1000) / 1000,
        lastUsedAt: toTimestamp(one.updatedAt),
      }));
      return { data, nextCursor: page.nextCursor };
    },
    async forget({ tenantId }, { user = 'default', word, itemId }) {
      const root = word === undefined ? undefined : rootOf(termsOf(word)[0] ?? word);
      await db.writes.write(tenantId, (connection) =>
        deleteSelectedWords(connection, { tenantId, endUser: user }, { root, itemId }),
      );
    },
  };
}
