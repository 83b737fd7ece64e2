/** The signals of a search in their order, and what each is called to people. */
export const SIGNAL_LABELS = {
  lex: 'shared words',
  tri: 'similar spelling',
  win: 'words close by',
  sess: 'same conversation',
  ctx: 'neighbouring text',
  spk: 'who said it',
  date: 'the date',
  rec: 'recent',
  cue: 'kind of answer',
  reply: 'answers a question',
  self: 'a statement',
  vec: 'similar meaning',
} as const;

export type SignalName = keyof typeof SIGNAL_LABELS;
export const SIGNAL_NAMES = Object.keys(SIGNAL_LABELS) as SignalName[];
