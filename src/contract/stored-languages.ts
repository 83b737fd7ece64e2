import { type Static, Type } from 'typebox';

export const StoredLanguages = Type.Object({
  languages: Type.Array(Type.Object({ language: Type.String({ description: 'ISO 639-1' }), texts: Type.Integer() }), {
    description:
      'Of the newest fifty memories and messages each, most first. A language that svc does not know counts as `en`',
  }),
  meaning: Type.Enum(['none', 'english', 'multilingual', 'unknown'], {
    description:
      'What the embedding model of searches is for: `none` without one, `unknown` for one that svc does not list',
  }),
  needsMultilingualModel: Type.Boolean({
    description:
      'Whether a tenth of the texts or more is in other languages than English, and searches have no model for them',
  }),
});
export type StoredLanguages = Static<typeof StoredLanguages>;
