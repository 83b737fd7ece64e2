import { useEffect, useRef } from 'preact/hooks';
import type { MentionsOfMonth, RelatedTopic, TopicDetails } from '../../../client/client.ts';
import { formatBriefMonth, formatCount, formatNumber } from '../../format.ts';
import { Elsewhere } from '../../parts/elsewhere.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { isTyping } from '../../parts/typing.ts';
import { Bars } from '../../plots/bars.tsx';
import { type Bucket, bucketsOf } from '../../plots/buckets.ts';
import { useResource } from '../../resource.ts';
import { changeParameters, hrefOf, hrefWith } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { Icon } from '../../shell/icon.tsx';
import { onTopicChanges } from './topic-changes.ts';
import { TopicHead } from './topic-head.tsx';
import { BeforeList, NowList } from './topic-memories.tsx';

const LEAST_MONTHS = 12;
const MOST_BARS = 48;

/** How many memories mentioned a topic in each month. */
function Mentions({ mentions }: { mentions: readonly MentionsOfMonth[] }) {
  const buckets = monthsOf(mentions);
  const total = mentions.reduce((sum, { memories }) => sum + memories, 0);
  const most = buckets.reduce((best, bucket) => (bucket.count > best.count ? bucket : best));
  const busiest = `${nameOf(most)} with ${formatNumber(most.count)}`;
  return (
    <section class="card stack" aria-labelledby="topic-mentions">
      <h2 id="topic-mentions">Mentions by month</h2>
      <Bars
        description={`${formatCount(total, 'memory', 'memories')}, most in ${busiest}`}
        bars={buckets.map((bucket) => ({
          ...{ key: bucket.fromMs, value: bucket.count, title: `${nameOf(bucket)}: ${formatNumber(bucket.count)}` },
        }))}
      />
      <p class="topic-axis hint" aria-hidden="true">
        <span>{formatBriefMonth(buckets[0]!.fromMs)}</span>
        <span>at most {formatNumber(most.count)}</span>
        <span>{formatBriefMonth(buckets.at(-1)!.toMs - 1)}</span>
      </p>
    </section>
  );
}

/** The months up to the last mention, with those that have none: at least a year of them. */
function monthsOf(mentions: readonly MentionsOfMonth[]): Bucket[] {
  const counts = mentions.map(({ month, memories }) => ({ day: `${month}-01`, count: memories }));
  const [year, month] = mentions.at(-1)!.month.split('-').map(Number) as [number, number];
  const first = year * 12 + month - LEAST_MONTHS;
  const start = `${String(Math.floor(first / 12)).padStart(4, '0')}-${String((first % 12) + 1).padStart(2, '0')}-01`;
  return bucketsOf(start < counts[0]!.day ? [{ day: start, count: 0 }, ...counts] : counts, 'month', MOST_BARS);
}

/** `Mar 2025`, or `Mar 2025 – May 2025` where a bar is of several months. */
function nameOf({ fromMs, toMs }: Bucket): string {
  const [from, to] = [formatBriefMonth(fromMs), formatBriefMonth(toMs - 1)];
  return from === to ? from : `${from} – ${to}`;
}

/** Everything about one topic. Escape leads back to the list. */
export function TopicPage({ id }: { id: string }) {
  const resource = useResource(id, async (signal) => {
    const { data: topic, response } = await currentSession().client.topics.get(id, { signal }).withResponse();
    return { topic, etag: response.etag };
  });
  useEffect(() => onTopicChanges(resource.reload), [resource.reload]);
  const page = useRef<HTMLDivElement>(null);
  useEffect(() => followKeys(page.current!), []);
  return (
    <div class="stack topic-page" ref={page}>
      <p>
        <a class="topic-back" href={hrefWith({ id: undefined })}>
          <Icon name="left" size={16} /> All topics
        </a>
      </p>
      <Elsewhere error={resource.state.value.error} />
      <Loaded resource={resource} label="Loading the topic" rows={10}>
        {({ topic, etag }) => (
          <>
            <TopicHead topic={topic} etag={etag} />
            <Body topic={topic} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function Body({ topic }: { topic: TopicDetails }) {
  return (
    <div class="topic-columns">
      <div class="stack">
        <NowList topic={topic} />
        {topic.before.length > 0 && <BeforeList topic={topic} />}
      </div>
      <div class="stack">
        {topic.mentions.length > 0 && <Mentions mentions={topic.mentions} />}
        {topic.related.length > 0 && <Related related={topic.related} />}
      </div>
    </div>
  );
}

function Related({ related }: { related: readonly RelatedTopic[] }) {
  return (
    <section class="card" aria-labelledby="topic-related">
      <h2 id="topic-related">Related</h2>
      <ul class="topic-related">
        {related.map(({ id, name, memoryCount }) => (
          <li key={id}>
            <a href={hrefOf('topics', { id })}>
              <bdi>{name}</bdi>
            </a>
            <span class="hint" title="Memories that mention both">
              {formatCount(memoryCount, 'memory', 'memories')}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Lets `j` and `k` move between the memories of the page, and Escape leave it. Returns a function that stops it. */
function followKeys(page: HTMLElement): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    if (isTyping(event.target) || event.metaKey || event.ctrlKey || event.altKey) return;
    // An open menu closes first.
    if (event.key === 'Escape' && !document.querySelector('.menu[open]')) changeParameters({ id: undefined });
    if (event.key !== 'j' && event.key !== 'k') return;
    const links = [...page.querySelectorAll<HTMLElement>('.topic-memory')];
    const at = links.indexOf(document.activeElement as HTMLElement);
    links[event.key === 'j' ? at + 1 : Math.max(0, at - 1)]?.focus();
    event.preventDefault();
  };
  addEventListener('keydown', onKeyDown);
  return () => removeEventListener('keydown', onKeyDown);
}
