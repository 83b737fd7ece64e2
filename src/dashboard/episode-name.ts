import type { Episode } from '../contract/episodes.ts';

const MAX_CHARACTERS = 80;

/**
 * Name of an episode: the first sentence of its summary if svc cut it, because its title is then a list of words, or else
 * its title.
 */
export function episodeName({ cut, title, summary }: Pick<Episode, 'cut' | 'title' | 'summary'>): string {
  const said = cut ? (summary ?? '').replace(/^[^:\n]{1,60}: /, '') : '';
  const sentence = /^.+?[.!?。！？](?=\s|$)/su.exec(said)?.[0] ?? said;
  if (sentence === '') return title;
  const characters = Array.from(sentence);
  if (characters.length <= MAX_CHARACTERS) return sentence;
  const start = characters.slice(0, MAX_CHARACTERS).join('');
  return `${start.replace(/\s+\S*$/, '')}…`;
}
