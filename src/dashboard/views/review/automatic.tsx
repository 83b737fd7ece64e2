import { useEffect } from 'preact/hooks';
import type { Suggestion } from '../../../client/client.ts';
import { systemClock } from '../../../lib/clock.ts';
import { describeError } from '../../errors.ts';
import { announce, onChanges } from '../../live.ts';
import { Moment } from '../../parts/moment.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { useResource } from '../../resource.ts';
import { currentSession, endSessionOn } from '../../session.ts';
import { may } from '../../space.ts';
import { DONE } from './kinds.ts';

/** The newest accepted suggestions, among which are those that nobody decided. */
const LISTED = 100;
const SHOWN = 20;
const WEEK_MS = 7 * 86_400_000;

/** What svc accepted automatically in the last week, each with its undo; nothing if there is none. */
export function Automatic({ user }: { user: string | undefined }) {
  const accepted = useResource(`accepted ${user ?? ''}`, async (signal) => {
    const query = { state: 'accepted', by: 'rules', limit: LISTED, ...(user && { user }) } as const;
    const { data } = await currentSession().client.suggestions.list(query, { signal });
    const sinceMs = systemClock.nowMs() - WEEK_MS;
    return data.filter(({ decidedBy, decidedAt }) => decidedBy === 'svc' && Date.parse(decidedAt ?? '') > sinceMs);
  });
  useEffect(() => onChanges(['suggestion'], accepted.reload), [accepted.reload]);
  const own = accepted.state.value.value ?? [];
  if (own.length === 0) return null;
  const undo = async (suggestion: Suggestion) => {
    try {
      await currentSession().client.suggestions.undo(suggestion.id);
      announce('memory');
      showToast('Undone: it waits for you, and svc does not accept it again.');
    } catch (error) {
      endSessionOn(error);
      showToast(describeError(error), 'error');
    }
    accepted.reload();
  };
  return (
    <section class="card stack" aria-labelledby="automatic-title">
      <h2 id="automatic-title">Accepted by svc this week</h2>
      <ul class="suggestion-memories">
        {own.slice(0, SHOWN).map((suggestion) => (
          <li key={suggestion.id}>
            <p class="content">{suggestion.content ?? suggestion.evidence.at(-1)?.text}</p>
            <p class="hint">
              {DONE[suggestion.kind]} <Moment at={suggestion.decidedAt ?? suggestion.createdAt} />
            </p>
            {may('account') && (
              <button type="button" class="small" onClick={() => void undo(suggestion)}>
                Undo
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
