import { SIGNAL_LABELS } from '../contract/signals.ts';
import type { Memory, SearchAnswer } from './api.ts';
import { button, element } from './dom.ts';
import { timeElement } from './format.ts';
import { highlightMatches } from './highlight.ts';

type Hit = Extract<SearchAnswer['results'][number], { type: 'memory' }>;

/** Labels by signal name. Signals of a newer daemon have no label and are shown by name. */
const SIGNALS: Record<string, string> = SIGNAL_LABELS;
const LONG_TEXT = 420;

function whyLine({ why }: Hit): HTMLElement | undefined {
  const signals = Object.entries(why?.signals ?? {}).filter(([, signal]) => signal.share > 0);
  const whole = signals.reduce((sum, [, signal]) => sum + signal.share, 0);
  if (whole === 0) return undefined;
  const top = signals
    .sort(([, a], [, b]) => b.share - a.share)
    .slice(0, 3)
    .map(
      ([name, { share }]) => `${SIGNALS[name] ?? name}${share < whole ? ` ${Math.round((share / whole) * 100)}%` : ''}`,
    );
  return element('p', { class: 'why' }, [element('span', { class: 'why-label' }, 'Why'), ` ${top.join(' · ')}`]);
}

function contentOf(memory: Memory, query: string): HTMLElement {
  const parts = highlightMatches(memory.content, query).map((part) =>
    part.marked ? element('mark', {}, part.text) : part.text,
  );
  return element('p', { class: 'memory-text', dir: 'auto' }, parts);
}

function collapseLongText(text: HTMLElement): HTMLElement {
  text.classList.add('folded');
  const toggle = button('Show all', 'link', () => {
    const folded = text.classList.toggle('folded');
    toggle.textContent = folded ? 'Show all' : 'Show less';
    toggle.setAttribute('aria-expanded', String(!folded));
  });
  toggle.setAttribute('aria-expanded', 'false');
  return toggle;
}

function factsOf(memory: Memory): HTMLElement {
  const facts = element('p', { class: 'memory-facts' });
  facts.append(timeElement(memory.occurredAt ?? memory.createdAt));
  facts.append(element('span', { class: 'memory-user', title: 'User' }, memory.user));
  if (memory.project) facts.append(element('span', { title: 'Project' }, memory.project));
  if (memory.pinned) facts.append(element('span', {}, 'pinned'));
  if (memory.validTo) facts.append(element('span', {}, 'superseded'));
  for (const tag of memory.tags) facts.append(element('span', { class: 'tag' }, tag));
  return facts;
}

/** Renders a memory: a search result with highlights and explanation, or a recent memory if `query` is empty. */
export function memoryCard(memory: Memory | Hit, query: string, onForget: (card: HTMLElement) => void): HTMLLIElement {
  const text = contentOf(memory, query);
  const card = element('li', { class: 'card memory' }, text);
  const isLong = memory.content.length > LONG_TEXT || memory.content.split('\n').length > 6;
  if (isLong) card.append(collapseLongText(text));
  const why = 'score' in memory ? whyLine(memory) : undefined;
  if (why) card.append(why);
  const forget = button('Forget', 'link danger', () => onForget(card));
  forget.setAttribute('aria-label', `Forget: ${memory.content.slice(0, 60)}`);
  card.append(element('div', { class: 'memory-foot' }, [factsOf(memory), forget]));
  return card;
}
