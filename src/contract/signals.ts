/** The signals of a search with their labels for people. Remembered searches store values in this order. */
export const SIGNAL_LABELS = {
  lexical: 'shared words',
  trigram: 'similar spelling',
  window: 'words close by',
  session: 'same conversation',
  context: 'neighboring text',
  speaker: 'who said it',
  date: 'the date',
  recency: 'recent',
  answerCue: 'kind of answer',
  reply: 'answers a question',
  self: 'a statement',
  vector: 'similar meaning',
} as const;

export type SignalName = keyof typeof SIGNAL_LABELS;
export const SIGNAL_NAMES = Object.keys(SIGNAL_LABELS) as SignalName[];
