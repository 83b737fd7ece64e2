import { titleOfClient } from '../../../cli/assistants/assistant-names.ts';
import { EXPIRES_SOON_DAYS, type Expiry } from '../../../contract/memory-filters.ts';
import { formatBriefDay, formatMoment } from '../../format.ts';
import { changeParameters, type ViewParameters } from '../../router.ts';
import { Icon } from '../../shell/icon.tsx';
import { isByChange, isFiltered, type ListState, NO_FILTERS } from './list-state.ts';

const EXPIRIES: Record<Expiry, string> = { soon: `expires within ${EXPIRES_SOON_DAYS} days`, any: 'expires' };

/** The filters in force; each can be removed. */
export function FilterChips({ state }: { state: ListState }) {
  if (!isFiltered(state)) return null;
  const { tags, project, source, sourceKind, client, expires, afterMs, beforeMs, show } = state;
  const chips: { text: string; changes: ViewParameters }[] = [
    ...tags.map((tag) => ({ text: `tag: ${tag}`, changes: { tag: tags.filter((other) => other !== tag) } })),
    ...(project === undefined ? [] : [{ text: `project: ${project}`, changes: { project: undefined } }]),
    ...(source === undefined ? [] : [{ text: 'from one source', changes: { source: undefined } }]),
    ...(client === undefined ? [] : [{ text: `stored by: ${titleOfClient(client)}`, changes: { client: undefined } }]),
    ...(sourceKind === undefined ? [] : [{ text: `source: ${sourceKind}`, changes: { sourceKind: undefined } }]),
    ...(expires === undefined ? [] : [{ text: EXPIRIES[expires], changes: { expires: undefined } }]),
    ...(show === 'pinned' ? [{ text: 'pinned', changes: { show: undefined } }] : []),
    ...(afterMs === undefined && beforeMs === undefined
      ? []
      : [{ text: describeTime(state), changes: { after: undefined, before: undefined } }]),
  ];
  return (
    <ul class="chips filter-chips" aria-label="Filters">
      {chips.map(({ text, changes }) => (
        <li key={text}>
          <button type="button" class="chip is-accent" onClick={() => changeParameters(changes)}>
            <span class="filter-text">{text}</span>
            <Icon name="close" size={12} />
            <span class="unseen">(remove)</span>
          </button>
        </li>
      ))}
      <li>
        <button type="button" class="link" onClick={() => changeParameters({ ...NO_FILTERS })}>
          Clear all
        </button>
      </li>
    </ul>
  );
}

/** `changed 20 Nov – 21 Nov`. */
function describeTime(state: ListState): string {
  const { afterMs, beforeMs } = state;
  const verb = isByChange(state) ? 'changed ' : '';
  if (beforeMs === undefined) return `${verb}since ${formatMoment(afterMs! + 1)}`;
  if (afterMs === undefined) return `${verb}before ${formatMoment(beforeMs)}`;
  const first = formatBriefDay(afterMs + 1);
  const last = formatBriefDay(beforeMs - 1);
  return `${verb}${first === last ? first : `${first} – ${last}`}`;
}
