import type { Memory } from '../../../client/client.ts';
import { formatShare } from '../../format.ts';
import { signalLabel } from '../../ranking-words.ts';
import { matchLabel, strongestSignals } from './matched-words.ts';
import type { FoundBy } from './memory-pages.ts';

const SHOWN_SIGNALS = 5;

/** Why a search found a memory: its signals, strongest first. */
export function WhyFound({ memory, found, query }: { memory: Memory; found: FoundBy; query: string }) {
  const { relevance, why } = found;
  if (!why) return null;
  const names = strongestSignals(why.signals).slice(0, SHOWN_SIGNALS);
  const most = Math.max(...names.map((name) => why.signals[name]!.share));
  return (
    <section class="stack why-found">
      <h3>Why it was found</h3>
      <p class="hint">
        {formatShare(relevance)} likely to answer this search.
        {why.rank < why.defaultRank && ` Learning moved it up, from ${why.defaultRank} to ${why.rank}.`}
        {why.rank > why.defaultRank && ` Learning moved it down, from ${why.defaultRank} to ${why.rank}.`}
      </p>
      <ul>
        {names.map((name) => (
          <li key={name} class="why-signal">
            <span>{name === 'lexical' ? matchLabel(name, { ...memory, found }, query) : signalLabel(name)}</span>
            <span class="why-bar" aria-hidden="true">
              <span style={{ inlineSize: `${(100 * why.signals[name]!.share) / most}%` }} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
