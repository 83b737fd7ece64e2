/** The signals of a search with their labels for people. Remembered searches store values in this order: a new
 * one goes to the end. */
export const SIGNAL_LABELS = {
  lexical: 'shared words',
  trigram: 'similar spelling',
  window: 'nearby words',
  session: 'same conversation',
  context: 'neighboring text',
  speaker: 'speaker',
  date: 'date',
  recency: 'recency',
  answerCue: 'answer type',
  reply: 'reply to a question',
  self: 'statement',
  vector: 'similar meaning',
  early: 'start of a conversation',
  coverage: 'rare words',
  category: 'category',
  learnedWords: 'learned words',
} as const;

export type SignalName = keyof typeof SIGNAL_LABELS;
export const SIGNAL_NAMES = Object.keys(SIGNAL_LABELS) as SignalName[];
