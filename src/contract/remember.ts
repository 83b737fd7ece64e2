import { type Static, Type } from 'typebox';
import { AnyId, Name, Nullable, strict } from './common.ts';
import { AppendedMessage, MessageList } from './conversations.ts';
import { Project } from './project.ts';

/** Messages to store, in an existing conversation or in a new one if `conversationId` is absent. */
export const RememberRequest = Type.Object(
  {
    conversationId: Type.Optional(AnyId),
    user: Type.Optional(Name),
    project: Type.Optional(Project),
    messages: MessageList,
  },
  strict,
);
export type RememberRequest = Static<typeof RememberRequest>;

export const Remembered = Type.Object({
  conversationId: Type.String(),
  messages: Type.Array(AppendedMessage, { description: 'In the order sent' }),
  jobId: Type.Union(Nullable(Type.String()).anyOf, {
    description: 'The job that extracts memories; null unless the account has switched that on and has a model for it',
  }),
});
export type Remembered = Static<typeof Remembered>;
