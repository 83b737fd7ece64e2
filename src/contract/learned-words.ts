import { type Static, Type } from 'typebox';
import { Name, Page, PageQuery, strict } from './common.ts';
import { ItemTypeName } from './search.ts';

const ItemId = Type.String({ minLength: 1, maxLength: 64, description: 'A memory, message or episode' });

/** A word of questions that leads to an item because it was used for them. */
export const LearnedWord = Type.Object({
  word: Type.String({ description: 'As it was last spelled; other forms of it count too' }),
  type: ItemTypeName,
  itemId: Type.String(),
  text: Type.String({ description: 'The beginning of the text of the item, or of the memory that took its place' }),
  uses: Type.Integer({ description: 'How often feedback named the item for a question with this word' }),
  observedUses: Type.Integer({
    description:
      'How often it was read or changed after such a question, or used for other words that followed it at once',
  }),
  strength: Type.Number({
    description: 'How firmly it leads there, 0 to 3: falls by half in half a year, and where another result was used',
  }),
  lastUsedAt: Type.String({ format: 'date-time' }),
});
export type LearnedWord = Static<typeof LearnedWord>;
export const LearnedWordPage = Page(LearnedWord);

export const LearnedWordsQuery = Type.Object(
  { user: Type.Optional(Name), itemId: Type.Optional(ItemId), ...PageQuery },
  strict,
);
export type LearnedWordsQuery = Static<typeof LearnedWordsQuery>;

/** Which words to forget; all of the user without `word` and `itemId`. */
export const LearnedWordsSelection = Type.Object(
  {
    user: Type.Optional(Name),
    word: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'In any of its forms' })),
    itemId: Type.Optional(ItemId),
  },
  strict,
);
export type LearnedWordsSelection = Static<typeof LearnedWordsSelection>;

export const RetrievalChange = Type.Object(
  {
    user: Type.Optional(Name),
    usesWords: Type.Optional(
      Type.Boolean({ description: 'Whether words of questions are learned, and find what was used for them' }),
    ),
    infersUses: Type.Optional(
      Type.Boolean({ description: 'Whether uses that nobody reported are inferred, and learned from' }),
    ),
  },
  { ...strict, minProperties: 1 },
);
export type RetrievalChange = Static<typeof RetrievalChange>;
