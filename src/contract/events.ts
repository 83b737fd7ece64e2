import { type Static, Type } from 'typebox';
import { Nullable } from './common.ts';
import { EVENT_NAMES } from './event-names.ts';

export const EventName = Type.Enum([...EVENT_NAMES], { description: 'Kind of change in an account' });
export type EventName = (typeof EVENT_NAMES)[number];

/** The `data` of an event: what changed, without content. */
export const EventData = Type.Object({
  id: Nullable(Type.String({ description: 'The id of what changed; of a search for `feedback`' })),
  user: Nullable(Type.String({ description: 'The user that it belongs to, if that still exists' })),
  author: Nullable(
    Type.String({
      description: 'In a space, the address of the member who made the change, if known; null for what was erased',
    }),
  ),
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
