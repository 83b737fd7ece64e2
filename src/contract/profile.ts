import { type Static, Type } from 'typebox';
import { Name, strict } from './common.ts';
import { ReadSpaces } from './spaces.ts';

export const ProfileQuery = Type.Object(
  {
    user: Type.Optional({ ...Name, description: 'default: `default`' }),
    spaces: Type.Optional(ReadSpaces),
  },
  strict,
);
export type ProfileQuery = Static<typeof ProfileQuery>;

/** The profile of a user, which assistants read as `memory://profile`. */
export const UserProfile = Type.Object({
  user: Type.String(),
  text: Type.String({ description: 'Markdown' }),
  tokens: Type.Integer({ description: 'Tokens of `text` (o200k_base), possibly slightly overestimated' }),
  maxTokens: Type.Integer({ description: 'The most that `text` ever has' }),
});
export type UserProfile = Static<typeof UserProfile>;
