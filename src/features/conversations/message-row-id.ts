/**
 * So many messages a conversation can hold. A message's number is its conversation's number times this plus its place:
 * neighbours in a conversation are neighbours by number, in the table and in the full-text index, so that a search
 * knows from its hits alone what stands beside what.
 */
export const PLACES = 2 ** 22;

/** The row id of a message: in a conversation, row ids rise with the ordinal. */
export function messageNumber(conversationNumber: number, ordinal: number): number {
  return conversationNumber * PLACES + ordinal;
}
