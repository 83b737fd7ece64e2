import type { StoredLanguages } from './stored-languages.ts';

/** The model to start with. Free of schemas, because the web app reads it too. */
export const ENGLISH_MODEL = 'all-MiniLM-L6-v2';
/** The model to start with where texts are not in English alone. */
export const MULTILINGUAL_MODEL = 'multilingual-e5-small';

/** Languages that are too few to name. */
const NAMED = 3;

/** Names the languages of stored texts, most first: "German, English, and Dutch". */
export function namesOfLanguages(languages: StoredLanguages['languages']): string {
  const names = new Intl.DisplayNames('en', { type: 'language' });
  const first = languages.slice(0, NAMED).map(({ language }) => names.of(language) ?? language);
  return new Intl.ListFormat('en').format(first);
}
