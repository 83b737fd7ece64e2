import { SIGNAL_LABELS } from '../contract/signals.ts';

const SIGNALS: Record<string, string> = SIGNAL_LABELS;

/** The label of a signal; one that only a newer daemon knows keeps its field name. */
export function signalLabel(name: string): string {
  return SIGNALS[name] ?? name;
}

const QUESTION_KINDS: Record<string, { label: string; example: string }> = {
  id: { label: 'names an id or a file', example: 'what failed in build-4711?' },
  date: { label: 'names a date', example: 'what happened on 12 May?' },
  recency: { label: 'asks for the latest', example: 'what is the latest release?' },
  unknown: { label: 'uses unfamiliar words', example: 'anything about Kubernetes?' },
  speaker: { label: 'names a person', example: 'what does Ada drink?' },
  count: { label: 'asks when or how many', example: 'when are releases?' },
  short: { label: 'has one or two words', example: 'garden fence' },
  other: { label: 'fits no other kind', example: 'which database runs in staging?' },
};

/** The label of a class of query, as in “this question …”. */
export function questionLabel(bucket: string): string {
  return QUESTION_KINDS[bucket]?.label ?? bucket;
}

/** A question of this class. */
export function questionExample(bucket: string): string {
  return QUESTION_KINDS[bucket]?.example ?? '';
}

/** `once`, `twice`, `3 times`. */
export function formatTimes(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`;
}

/** From here on, a result answers the question more often than not, whoever asks. */
const LIKELY = 0.6;
/** In between, the probability differs too much between people to tell. */
const PERHAPS = 0.15;

/** A probability that something answers, in a word: a figure would claim to know more than it does of one person's questions. */
export function likelihoodOf(probability: number): 'likely' | 'perhaps' | 'unlikely' {
  if (probability >= LIKELY) return 'likely';
  return probability >= PERHAPS ? 'perhaps' : 'unlikely';
}

const ANSWERS = { likely: 'likely to answer', perhaps: 'may answer', unlikely: 'unlikely to answer' };

/** Says whether a result answers, from its calibrated probability. */
export function answersPhrase(relevance: number): string {
  return ANSWERS[likelihoodOf(relevance)];
}
