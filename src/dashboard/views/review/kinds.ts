import type { SuggestionKind } from '../../../contract/suggestion-names.ts';

/** What a suggestion is about, as a setting. */
export const ABOUT: Readonly<Record<SuggestionKind, string>> = {
  add: 'What you said in passing',
  merge: 'Memories that say the same',
  supersede: 'Older memories that are out of date',
  contradiction: 'Memories that contradict each other',
  expire: 'Memories whose time has passed',
  split: 'Memories that say several things',
};

/** What accepting one did. */
export const DONE: Readonly<Record<SuggestionKind, string>> = {
  add: 'Remembered',
  merge: 'Merged',
  supersede: 'Put in the place of an older one',
  contradiction: 'Kept',
  expire: 'Ended',
  split: 'Split',
};
