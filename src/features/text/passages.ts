/** Messages in a passage: a conversation up to this length is a single passage. */
export const PASSAGE_MESSAGES = 64;

/** The passage of a conversation that a message belongs to. */
export function passageOf(rowId: number): number {
  return Math.floor(rowId / PASSAGE_MESSAGES);
}
