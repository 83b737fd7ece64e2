import { useEffect, useRef } from 'preact/hooks';
import type { RelatedTopic, TopicDetails } from '../../../client/client.ts';
import { formatCount } from '../../format.ts';
import { Elsewhere } from '../../parts/elsewhere.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { isTyping } from '../../parts/typing.ts';
import { useResource } from '../../resource.ts';
import { changeParameters, hrefOf, hrefWith } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { Icon } from '../../shell/icon.tsx';
import { Mentions } from './mentions.tsx';
import { onTopicChanges } from './topic-changes.ts';
import { TopicHead } from './topic-head.tsx';
import { BeforeList, NowList } from './topic-memories.tsx';

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
