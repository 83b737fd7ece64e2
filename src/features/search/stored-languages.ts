import type { StoredLanguages } from '../../contract/stored-languages.ts';
import type { Database } from '../../db/open.ts';
import type { QueryEmbedder } from '../embeddings/query-embedder.ts';
import type { Principal } from '../keys/keys.ts';
import { languageOf } from '../languages/languages.ts';
import { listNewestTexts } from './stored-languages-store.ts';

/** Tells in which languages an account stores, and whether its searches by meaning know them. */
export type FindStoredLanguages = (principal: Principal) => Promise<StoredLanguages>;

/** Texts that are read of each kind, and how much of each. */
const NEWEST = { limit: 50, characters: 200 };
/** From this share of the texts on, and from this many, other languages than English count. */
const OTHER_LANGUAGES = { share: 0.1, texts: 3 };

interface Parts {
  db: Database;
  queryEmbedder: QueryEmbedder;
}

/** Counts languages of the newest texts by the words that the rules know; a text in none of their languages counts as English. */
export function createStoredLanguages({ db, queryEmbedder }: Parts): FindStoredLanguages {
  return async ({ tenantId }) => {
    const [texts, meaning] = await Promise.all([
      listNewestTexts(db.readers.of(tenantId), tenantId, NEWEST),
      queryEmbedder.languagesOf(tenantId),
    ]);
    const languages = countedLanguages(texts);
    const other = languages.reduce((sum, one) => sum + (one.language === 'en' ? 0 : one.texts), 0);
    const isOther = other >= Math.max(OTHER_LANGUAGES.texts, OTHER_LANGUAGES.share * texts.length);
    return { languages, meaning, needsMultilingualModel: isOther && (meaning === 'none' || meaning === 'english') };
  };
}

function countedLanguages(texts: readonly string[]): StoredLanguages['languages'] {
  const counts = new Map<string, number>();
  for (const text of texts) {
    const { code } = languageOf(text);
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return [...counts]
    .map(([language, count]) => ({ language, texts: count }))
    .sort((a, b) => b.texts - a.texts || (a.language < b.language ? -1 : 1));
}
