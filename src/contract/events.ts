import { type Static, Type } from 'typebox';
import { Nullable } from './common.ts';

/** Kinds of changes in an account. `reset` means that changes were missed: reload what you show. */
export const EVENT_NAMES = [
  ...(['memory.created', 'memory.updated', 'memory.deleted'] as const),
  ...(['conversation.created', 'conversation.appended', 'conversation.updated', 'conversation.deleted'] as const),
  ...(['episode.created', 'episode.updated', 'episode.deleted'] as const),
  ...(['suggestion.created', 'suggestion.accepted', 'suggestion.rejected', 'suggestion.undone'] as const),
  ...(['job.changed', 'feedback', 'user.deleted', 'account.changed', 'reset'] as const),
] as const;
export const EventName = Type.Enum([...EVENT_NAMES], { description: 'Kind of change in an account' });
export type EventName = (typeof EVENT_NAMES)[number];

/** The `data` of an event: what changed, without content. */
export const EventData = Type.Object({
  id: Nullable(Type.String({ description: 'The id of what changed; of a search for `feedback`' })),
  user: Nullable(Type.String({ description: 'The user that it belongs to, if that still exists' })),
  at: Type.String({ format: 'date-time' }),
});
export type EventData = Static<typeof EventData>;

/** A change in the account. */
export interface ChangeEvent {
  /** Continues the stream after this event. */
  id: string;
  event: EventName;
  data: EventData;
}
