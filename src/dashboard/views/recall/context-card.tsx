import type { SearchAnswer } from '../../../client/client.ts';
import type { ContextText } from '../../../contract/search.ts';
import { formatCount, formatProbability } from '../../format.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Loading } from '../../parts/loading.tsx';
import { type Resource, useResource } from '../../resource.ts';
import { changeParameters, hrefOf } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { contextLines } from './context-lines.ts';
import { includesContext, type RecallQuery, toContextRequest } from './recall-query.ts';

interface ContextCardProps {
  asked: RecallQuery;
  user: string | undefined;
  /** The results beside it. */
  found: Resource<SearchAnswer>;
  /** How often the same question was asked again: each time loads the block again. */
  version: number;
}

/** The block of text that an assistant gets for the question. Each citation leads to its result. */
export function ContextCard({ asked, user, found, version }: ContextCardProps) {
  const request = toContextRequest(asked, user);
  const isIncluded = includesContext(asked);
  const apart = useResource(isIncluded ? undefined : `${version} ${JSON.stringify(request)}`, (signal) =>
    currentSession().client.context(request, { signal }),
  );
  const { value: answered, isLoading } = found.state.value;
  const results = new Set(answered?.results.map(({ id }) => id));
  const block = isIncluded ? answered?.context : apart.state.value.value;
  const show = (answer: ContextText) =>
    answer.text === '' ? <EmptyBlock asked={asked} /> : <Block answer={answer} asked={asked} results={results} />;
  return (
    <section class="card stack" aria-labelledby="context-title">
      <div class="card-head">
        <h2 id="context-title">What an assistant gets</h2>
        {block && block.text !== '' && <CopyButton text={() => block.text} label="Copy the block" />}
      </div>
      {!isIncluded && (
        <p class="notice">
          {asked.topic === undefined
            ? 'An assistant always gets what holds today, in the learned order.'
            : 'An assistant does not choose a topic: this is from everything that is stored.'}
        </p>
      )}
      {isIncluded ? (
        (block && show(block)) || (isLoading && <Loading label="Composing" rows={3} />)
      ) : (
        <Loaded resource={apart} label="Composing" rows={3}>
          {show}
        </Loaded>
      )}
    </section>
  );
}

function EmptyBlock({ asked: { minRelevance } }: { asked: RecallQuery }) {
  return (
    <p class="hint">
      No text.{' '}
      {minRelevance > 0
        ? `Nothing is ${formatProbability(minRelevance)} likely to answer. Lower the least relevance.`
        : 'Nothing stored fits the question, or not within the budget.'}
    </p>
  );
}

interface BlockProps {
  answer: ContextText;
  asked: RecallQuery;
  results: ReadonlySet<string>;
}

function Block({ answer, asked, results }: BlockProps) {
  const { citations, tokens } = answer;
  const idOf = new Map(citations.map(({ marker, id }) => [marker, id]));
  return (
    <>
      <div class="snippet context-block">
        {contextLines(answer).map(({ marker, text }, index) => (
          <div key={index} class="context-line">
            {marker !== undefined && (
              <Marker marker={marker} id={idOf.get(marker)!} isResult={results.has(idOf.get(marker)!)} />
            )}
            {text}
          </div>
        ))}
      </div>
      <p class="hint">
        {formatCount(tokens, 'token', 'tokens')} of at most {asked.maxTokens}.
      </p>
    </>
  );
}

/** Leads to the result of a citation, or to a memory that is not among the results. */
function Marker({ marker, id, isResult }: { marker: string; id: string; isResult: boolean }) {
  if (!isResult) return id.startsWith('mem_') ? <a href={hrefOf('memories', { id })}>{marker}</a> : marker;
  const show = () => {
    const row = document.getElementById(resultId(id));
    row?.scrollIntoView({ block: 'nearest' });
    row?.querySelector('button')?.focus({ preventScroll: true });
    return row !== null;
  };
  return (
    <button
      type="button"
      class="link"
      aria-label={`Go to the result of ${marker}`}
      onClick={() => {
        if (show()) return;
        // An unlikely result is shown once it is open.
        changeParameters({ id }, 'replace');
        requestAnimationFrame(show);
      }}
    >
      {marker}
    </button>
  );
}

/** The id of a result's element. */
export function resultId(id: string): string {
  return `result-${id}`;
}
