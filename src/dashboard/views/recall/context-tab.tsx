import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { ContextAnswer } from '../../../client/client.ts';
import { formatCount, formatNumber, formatProbability } from '../../format.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useResource } from '../../resource.ts';
import { changeParameters, hrefOf } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { contextLines } from './context-lines.ts';
import { DEFAULT_TOKENS, MAX_TOKENS, MIN_TOKENS, type RecallQuery, toContextRequest } from './recall-query.ts';
import { StageBar } from './stage-bar.tsx';

interface ContextTabProps {
  asked: RecallQuery;
  user: string | undefined;
  tabs: ComponentChildren;
}

/** The block of text that an assistant gets for the question, with its citations. */
export function ContextTab({ asked, user, tabs }: ContextTabProps) {
  const request = toContextRequest(asked, user);
  const block = useResource(JSON.stringify(request), (signal) => currentSession().client.context(request, { signal }), {
    keepsPrevious: true,
  });
  const timings = block.state.value.value?.timings;
  return (
    <div class="stack">
      <div class="recall-head">{tabs}</div>
      {timings && <StageBar timings={timings} />}
      {(asked.strategy !== 'auto' || asked.asOf !== undefined) && (
        <p class="notice">Context is always learned and of today: the strategy and the date do not apply here.</p>
      )}
      <Loaded resource={block} label="Composing">
        {(answer) => <Block answer={answer} asked={asked} />}
      </Loaded>
    </div>
  );
}

function Block({ answer, asked }: { answer: ContextAnswer; asked: RecallQuery }) {
  const active = useSignal<string | undefined>(undefined);
  return (
    <div class="context">
      <section class="card stack" aria-labelledby="context-title">
        <div class="card-head">
          <h2 id="context-title">In the prompt</h2>
          {answer.text !== '' && <CopyButton text={() => answer.text} label="Copy the block" />}
        </div>
        <TokenMeter answer={answer} maxTokens={asked.maxTokens} />
        {answer.text === '' ? <EmptyBlock asked={asked} /> : <Lines answer={answer} active={active} />}
      </section>
      {answer.citations.length > 0 && <Citations answer={answer} active={active} />}
    </div>
  );
}

function EmptyBlock({ asked }: { asked: RecallQuery }) {
  return (
    <Empty icon="memory" title="The block is empty">
      <p>
        {asked.minRelevance > 0
          ? `Nothing is ${formatProbability(asked.minRelevance)} likely to answer. Lower the least relevance.`
          : 'Nothing stored fits the question, or not within the budget. An assistant gets no text.'}
      </p>
    </Empty>
  );
}

function TokenMeter({ answer, maxTokens }: { answer: ContextAnswer; maxTokens: number }) {
  const dragged = useSignal<number | undefined>(undefined);
  const shown = dragged.value ?? maxTokens;
  return (
    <div class="token-meter">
      <div class="token-bar" aria-hidden="true">
        <span style={{ inlineSize: `${Math.min(1, answer.tokens / maxTokens) * 100}%` }} />
      </div>
      <p class="hint">
        {formatNumber(answer.tokens)} of {formatCount(maxTokens, 'token', 'tokens')} used by{' '}
        {formatCount(answer.citations.length, 'citation', 'citations')}; {formatProbability(answer.confidence ?? 0)}{' '}
        likely that something stored answers.
      </p>
      <label class="token-budget">
        <span>
          Budget <output>{formatNumber(shown)}</output>
        </span>
        <input
          type="range"
          min={MIN_TOKENS}
          max={Math.max(MAX_TOKENS, maxTokens)}
          step="50"
          value={shown}
          aria-label="Budget in tokens"
          onInput={(event) => (dragged.value = Number(event.currentTarget.value))}
          onChange={(event) => {
            dragged.value = undefined;
            const tokens = event.currentTarget.value;
            changeParameters({ tokens: tokens === String(DEFAULT_TOKENS) ? undefined : tokens }, 'replace');
          }}
        />
      </label>
    </div>
  );
}

interface LinkedProps {
  answer: ContextAnswer;
  /** The marker of the citation under the pointer or with the focus, on either side. */
  active: Signal<string | undefined>;
}

function Lines({ answer, active }: LinkedProps) {
  return (
    <div class="snippet context-block">
      {contextLines(answer).map(({ marker, text }, index) => (
        <div
          key={index}
          id={marker && `line-${marker}`}
          class={`context-line${marker !== undefined && marker === active.value ? ' is-active' : ''}`}
          onPointerEnter={() => (active.value = marker)}
          onPointerLeave={() => (active.value = undefined)}
        >
          {marker !== undefined && (
            <button
              type="button"
              class="link"
              aria-label={`Go to citation ${marker}`}
              onFocus={() => (active.value = marker)}
              onClick={() => goTo(`cited-${marker}`)}
            >
              {marker}
            </button>
          )}
          {text}
        </div>
      ))}
    </div>
  );
}

function Citations({ answer, active }: LinkedProps) {
  return (
    <section class="card stack" aria-labelledby="citations-title">
      <h2 id="citations-title">Citations</h2>
      <ol class="citations">
        {answer.citations.map(({ marker, type, id, relevance }) => (
          <li
            key={marker}
            class={marker === active.value ? 'is-active' : ''}
            onPointerEnter={() => (active.value = marker)}
            onPointerLeave={() => (active.value = undefined)}
          >
            <button
              type="button"
              class="link"
              id={`cited-${marker}`}
              aria-label={`Go to ${marker} in the block`}
              onFocus={() => (active.value = marker)}
              onClick={() => goTo(`line-${marker}`)}
            >
              {marker}
            </button>
            {type === 'memory' ? <a href={hrefOf('memories', { id })}>Memory</a> : <span>{TYPE_LABELS[type]}</span>}
            <span class="row-meta">{formatProbability(relevance ?? 0)} likely</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

const TYPE_LABELS = { message: 'Message', episode: 'Episode' };

/** Scrolls to the other end of a citation and puts the focus there. */
function goTo(id: string): void {
  const target = document.getElementById(id);
  target?.scrollIntoView({ block: 'nearest' });
  (target?.querySelector('button') ?? target)?.focus();
}
