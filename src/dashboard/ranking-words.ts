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
