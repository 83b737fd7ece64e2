import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { EarlierSearch } from '../../earlier-searches.ts';
import { formatNumber, formatProbability } from '../../format.ts';
import { useResource } from '../../resource.ts';
import { changeParameters, hrefOf, type ViewParameters } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { Icon } from '../../shell/icon.tsx';
import {
  DEFAULT_LIMIT,
  DEFAULT_TOKENS,
  isPlain,
  LIMITS,
  MAX_TOKENS,
  MIN_TOKENS,
  type RecallQuery,
  STRATEGIES,
  TYPES,
} from './recall-query.ts';

const TYPE_LABELS = { memory: 'Memories', message: 'Messages', episode: 'Episodes' };
const STRATEGY_LABELS = {
  auto: 'Learned',
  default: 'Default weights',
  lexical: 'Shared words only',
  semantic: 'Similar meaning only',
  recent: 'Newest first',
};

interface RecallFormProps {
  asked: RecallQuery;
  /** The search that is opened again. Another question or option leaves it. */
  earlier?: EarlierSearch;
  /** The same question was submitted again. */
  onAgain(): void;
}

/** Searches with other parameters; the result that was open belongs to the search before. */
type Ask = (changes: ViewParameters) => void;

/** The question and its options. The question runs when it is submitted, an option at once. */
export function RecallForm({ asked, earlier, onAgain }: RecallFormProps) {
  const ask: Ask = (changes) =>
    changeParameters({ ...(earlier && parametersOf(asked, earlier)), id: undefined, searchId: undefined, ...changes });
  const query = useSignal(asked.query);
  const toggled = useSignal<boolean | undefined>(undefined);
  const areOptionsOpen = toggled.value ?? !isPlain(asked);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    query.value = asked.query;
  }, [asked.query]);
  useEffect(() => {
    if (asked.query === '') field.current?.focus({ preventScroll: true });
  }, []);
  return (
    <form
      class="card recall-form"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (query.value.trim() === asked.query && !earlier) onAgain();
        else ask({ q: query.value.trim() });
      }}
    >
      <div class="recall-question">
        <input
          ref={field}
          type="search"
          aria-label="Question"
          placeholder="Ask what an assistant would ask, such as “what does Ada drink?”"
          autocomplete="off"
          maxLength={10_000}
          value={query.value}
          onInput={(event) => (query.value = event.currentTarget.value)}
        />
        <button type="submit" class="primary">
          <Icon name="search" size={16} />
          <span>Search</span>
        </button>
        <button type="button" aria-expanded={areOptionsOpen} onClick={() => (toggled.value = !areOptionsOpen)}>
          <Icon name="settings" size={16} />
          <span>Options</span>
        </button>
      </div>
      {asked.topic !== undefined && <InTopic id={asked.topic} onLeave={() => ask({ topic: undefined })} />}
      {areOptionsOpen && <Options asked={asked} ask={ask} />}
    </form>
  );
}

/** Says that only memories about a topic are searched. */
function InTopic({ id, onLeave }: { id: string; onLeave(): void }) {
  const topic = useResource(id, (signal) => currentSession().client.topics.get(id, { signal }));
  const { value, error } = topic.state.value;
  return (
    <p class="recall-topic">
      {error === undefined ? 'Only memories about' : 'Only memories about a topic that could not be loaded.'}{' '}
      {value && (
        <a href={hrefOf('topics', { id })}>
          <bdi>{value.name}</bdi>
        </a>
      )}{' '}
      <button type="button" class="link" onClick={onLeave}>
        Search everything
      </button>
    </p>
  );
}

/** An earlier search as parameters of the address. */
function parametersOf({ query, types, project }: RecallQuery, { user }: EarlierSearch): ViewParameters {
  return { q: query, user, project, types: types.length === TYPES.length ? undefined : types };
}

interface OptionsProps {
  asked: RecallQuery;
  ask: Ask;
}

function Options({ asked, ask }: OptionsProps) {
  return (
    <div class="recall-options">
      <Types asked={asked} ask={ask} />
      <RankingOptions asked={asked} ask={ask} />
      <label>
        Project
        <input
          type="text"
          placeholder="any"
          value={asked.project ?? ''}
          maxLength={200}
          onChange={(event) => ask({ project: event.currentTarget.value.trim() })}
        />
      </label>
      <label class="recall-relevance">
        <span>
          Relevance{' '}
          <output>{asked.minRelevance === 0 ? 'any' : `from ${formatProbability(asked.minRelevance)}`}</output>
        </span>
        <input
          type="range"
          min="0"
          max="0.9"
          step="0.05"
          value={asked.minRelevance}
          aria-label="Least relevance"
          onChange={(event) => ask({ minRelevance: event.currentTarget.value.replace(/^0$/, '') })}
        />
      </label>
      <label class="recall-relevance">
        <span>
          Assistant gets up to <output>{formatNumber(asked.maxTokens)}</output> tokens
        </span>
        <input
          type="range"
          min={MIN_TOKENS}
          max={Math.max(MAX_TOKENS, asked.maxTokens)}
          step="50"
          value={asked.maxTokens}
          aria-label="Budget in tokens"
          onChange={({ currentTarget: { value } }) =>
            ask({ tokens: value === String(DEFAULT_TOKENS) ? undefined : value })
          }
        />
      </label>
    </div>
  );
}

function Types({ asked, ask }: OptionsProps) {
  const choose = (type: (typeof TYPES)[number], isChosen: boolean) => {
    const types = TYPES.filter((one) => (one === type ? isChosen : asked.types.includes(one)));
    ask({ types: types.length === TYPES.length ? undefined : types });
  };
  return (
    <fieldset>
      <legend>Look in</legend>
      <div class="recall-types">
        {TYPES.map((type) => (
          <label key={type} class="check">
            <input
              type="checkbox"
              checked={asked.types.includes(type)}
              disabled={asked.types.length === 1 && asked.types[0] === type}
              onChange={(event) => choose(type, event.currentTarget.checked)}
            />
            {TYPE_LABELS[type]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function RankingOptions({ asked, ask }: OptionsProps) {
  return (
    <>
      <label>
        Strategy
        <select
          value={asked.strategy}
          onChange={(event) => ask({ strategy: event.currentTarget.value.replace(/^auto$/, '') })}
        >
          {STRATEGIES.map((name) => (
            <option key={name} value={name}>
              {STRATEGY_LABELS[name]}
            </option>
          ))}
        </select>
      </label>
      <label>
        Results
        <select
          value={asked.limit}
          onChange={(event) => ask({ limit: event.currentTarget.value.replace(String(DEFAULT_LIMIT), '') })}
        >
          {[...new Set([...LIMITS, asked.limit])]
            .sort((a, b) => a - b)
            .map((limit) => (
              <option key={limit} value={limit}>
                {limit}
              </option>
            ))}
        </select>
      </label>
      <label>
        As known on
        <input
          type="date"
          value={asked.asOf?.slice(0, 10) ?? ''}
          onChange={(event) => ask({ asOf: event.currentTarget.value })}
        />
      </label>
    </>
  );
}
