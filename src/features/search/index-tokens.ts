import { stemOf } from '../text/porter.ts';
import { scopePrefix, tokenOf } from '../text/terms.ts';
import type { IndexTerm, PostingsKey } from './postings.ts';

/** Everything that follows a prefix sorts before the prefix with this character. */
export const LAST = '\u{10ffff}';

/** A stored token to look up, and the position of its term. */
export interface IndexToken {
  text: string;
  term: number;
}

/** The tokens of the whole terms and those of the prefixes, in each part of the index; without an empty kind. */
export function tokensByKind(
  key: PostingsKey,
  terms: readonly IndexTerm[],
): [tokens: IndexToken[], isPrefix: boolean][] {
  const kinds = [false, true].map((isPrefix): [IndexToken[], boolean] => [
    key.parts.flatMap((part) =>
      terms.flatMap((term, at) =>
        (term.as === 'prefix') === isPrefix ? { text: storedToken(scopePrefix(key.scope, part), term), term: at } : [],
      ),
    ),
    isPrefix,
  ]);
  return kinds.filter(([tokens]) => tokens.length > 0);
}

function storedToken(prefix: string, { text, as }: IndexTerm): string {
  const token = tokenOf(prefix, text);
  return as === 'word' ? stemOf(token) : token;
}

/** The texts of the tokens, as a bound list. */
export function boundTokens(tokens: readonly IndexToken[]): string {
  return JSON.stringify(tokens.map(({ text }) => text));
}
