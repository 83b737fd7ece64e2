import { type Static, Type } from 'typebox';
import { Nullable, Page, PageQuery, strict } from './common.ts';

const Moment = Nullable(Type.String({ format: 'date-time' }));

/** An end user of the account. */
export const User = Type.Object({
  user: Type.String({ description: 'The name under which memories, conversations and episodes are stored' }),
  memories: Type.Integer({ description: 'Valid memories' }),
  conversations: Type.Integer(),
  messages: Type.Integer(),
  episodes: Type.Integer(),
  firstSeenAt: Type.Union(Moment.anyOf, { description: 'Time of the oldest item; null if there is none' }),
  lastSeenAt: Type.Union(Moment.anyOf, { description: 'Time of the latest item; null if there is none' }),
});
export type User = Static<typeof User>;
export const UserPage = Page(User);

export const UsersQuery = Type.Object(PageQuery, strict);
export type UsersQuery = Static<typeof UsersQuery>;

/** The name in a path. One that cannot exist is answered with 404. */
export const UserParams = Type.Object({ user: Type.String({ maxLength: 1024 }) });
