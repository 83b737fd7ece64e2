import { Type } from 'typebox';
import { Name, strict } from '../../contract/common.ts';
import { AppError } from '../../contract/errors.ts';
import { type Suggestion, SuggestionDecision } from '../../contract/suggestions.ts';
import { hasScope, type Principal } from '../../features/keys/keys.ts';
import type { Memories } from '../../features/memories/memories.ts';
import { etagOfSuggestion, type Suggestions } from '../../features/suggestions/suggestions.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Sealer } from '../../lib/seal.ts';
import { equalSecrets } from '../../lib/secret.ts';
import { USER } from './mcp-notes.ts';
import { READS, type Registration, tool, WRITES } from './mcp-tool.ts';

/** The screen on which a person decides suggestions inside a chat: one page without any external part. */
const REVIEW_APP = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>Review</title>
<style>
:root { color-scheme: light dark; }
body { margin: 0; padding: 12px; font: 14px/1.45 var(--font-sans, system-ui, sans-serif); color: var(--color-text-primary, CanvasText); }
article { border: 1px solid var(--color-border-primary, #8886); border-radius: 8px; padding: 12px; margin: 0 0 12px; }
h2 { font-size: 14px; margin: 0 0 8px; }
p { margin: 0 0 8px; overflow-wrap: anywhere; white-space: pre-wrap; }
.reason { opacity: .75; }
ins { text-decoration: none; border-left: 3px solid #2a9d5c; padding-left: 8px; display: block; }
q { quotes: none; border-left: 3px solid #8886; padding-left: 8px; display: block; }
button { font: inherit; padding: 4px 12px; margin: 0 8px 0 0; cursor: pointer; }
[role=alert] { color: var(--color-text-danger, #c0392b); }
</style>
<main id="cards" aria-live="polite"><p>Waiting for suggestions…</p></main>
<script>
'use strict';
const TITLES = {
  add: 'Remember this?', merge: 'Do these say the same?', supersede: 'Is the older one out of date?',
  contradiction: 'Which of these holds?', expire: 'Has its time passed?', split: 'Split this?',
};
const cards = document.getElementById('cards');
const waiting = new Map();
let lastId = 0;
const post = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
const request = (method, params) => new Promise((resolve, reject) => {
  waiting.set(++lastId, { resolve, reject });
  post({ id: lastId, method, params });
});
/** Text is never parsed as HTML: memories may say anything. */
const element = (name, text = '', more = {}) => Object.assign(document.createElement(name), { textContent: text }, more);
const button = (text, run) => element('button', text, { type: 'button', onclick: run });

function shownIn(card, { suggestion, memories }, buttons) {
  const { kind, content, reason } = suggestion;
  const before = memories.map(({ id, content: text }) => {
    const quote = element('p');
    quote.append(element('q', text));
    if (kind === 'contradiction' && buttons.choose) quote.append(button('This one holds', () => buttons.choose(id)));
    return quote;
  });
  const after = content === null ? [] : [element('p')];
  after[0]?.append(element('ins', content));
  card.replaceChildren(element('h2', TITLES[kind]), ...before, ...after, element('p', reason, { className: 'reason' }));
}

function cardOf(item) {
  const card = element('article');
  const { suggestion, ticket } = item;
  const decide = async (decision, keep) => {
    for (const one of card.querySelectorAll('button')) one.disabled = true;
    try {
      const answer = await request('tools/call', {
        name: 'suggestions_decide',
        arguments: { id: suggestion.id, decision, ticket, ...(keep && { keep }) },
      });
      const decided = answer._meta?.['svc/review'];
      if (answer.isError || !decided) throw new Error(answer.content?.[0]?.text ?? 'It could not be decided.');
      card.replaceWith(cardOf(decided.cards[0]));
    } catch (error) {
      for (const one of card.querySelectorAll('button')) one.disabled = false;
      card.querySelector('[role=alert]')?.remove();
      card.append(element('p', error.message, { role: 'alert' }));
    }
  };
  const isOpen = suggestion.state === 'open';
  shownIn(card, item, { choose: ticket && isOpen ? (id) => decide('accept', id) : undefined });
  if (!isOpen) card.append(element('p', suggestion.state === 'accepted' ? 'Accepted.' : 'Rejected.'));
  if (!ticket) return card;
  const accept = suggestion.kind === 'contradiction' ? [] : [button('Accept', () => decide('accept'))];
  card.append(...(isOpen ? [...accept, button('Reject', () => decide('reject'))] : [button('Undo', () => decide('undo'))]));
  return card;
}

function show(result) {
  const shown = result?._meta?.['svc/review'];
  if (!shown) return;
  const none = shown.cards.length === 0 ? [element('p', 'Nothing to review.')] : [];
  const elsewhere = shown.canDecide
    ? []
    : [button('Decide in svc', () => request('ui/open-link', { url: shown.url }).catch(() => {}))];
  cards.replaceChildren(...none, ...shown.cards.map(cardOf), ...elsewhere);
}

function style({ theme, styles } = {}) {
  if (theme) document.documentElement.style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (value) document.documentElement.style.setProperty(name, value);
  }
}

addEventListener('message', ({ source, data }) => {
  if (source !== parent || data?.jsonrpc !== '2.0') return;
  if (data.method === 'ui/notifications/tool-result') show(data.params);
  else if (data.method === 'ui/notifications/host-context-changed') style(data.params);
  else if (data.method !== undefined) { if (data.id !== undefined) post({ id: data.id, result: {} }); }
  else if (data.error) waiting.get(data.id)?.reject(new Error(data.error.message));
  else waiting.get(data.id)?.resolve(data.result);
});
new ResizeObserver(() => {
  const { height } = document.documentElement.getBoundingClientRect();
  post({ method: 'ui/notifications/size-changed', params: { height: Math.ceil(height) } });
}).observe(document.documentElement);
request('ui/initialize', {
  protocolVersion: '2026-01-26', appInfo: { name: 'svc-review', version: '1' }, appCapabilities: {},
}).then(({ hostContext }) => {
  style(hostContext);
  post({ method: 'ui/notifications/initialized', params: {} });
});
</script>
</html>
`;

export interface ReviewParts {
  suggestions: Pick<Suggestions, 'list' | 'get' | 'acceptOnce' | 'rejectOnce' | 'undoOnce'>;
  memories: Pick<Memories, 'get'>;
  sealer: Sealer;
  clock: Clock;
  publicUrl: () => string;
}

/** A suggestion as the screen shows it. Without a ticket it cannot be decided there. */
interface Card {
  suggestion: Suggestion;
  memories: { id: string; content: string }[];
  ticket?: string;
}

/** What the screen gets and the model does not. */
interface Screen {
  cards: Card[];
  canDecide: boolean;
  /** Where the same can be decided in the web app. */
  url: string;
}

const URI = 'ui://svc/review';
/** By the MCP Apps extension. */
const MIME_TYPE = 'text/html;profile=mcp-app';
const SCREEN = 'svc/review';
const SHOWN = 10;
const SHOWN_CHARACTERS = 1000;
const TICKET_MS = 30 * 60_000;

const Review = Type.Object({ user: Type.Optional(Name) }, strict);
type Review = { user?: string };
const Shown = Type.Object({ shown: Type.Integer() });
const Decision = Type.Object(
  {
    ...Type.Pick(SuggestionDecision, ['id', 'decision', 'keep']).properties,
    ticket: Type.String({ minLength: 1, maxLength: 200 }),
  },
  strict,
);
type Decision = Pick<SuggestionDecision, 'id' | 'decision' | 'keep'> & { ticket: string };
const Decided = Type.Object({ id: Type.String(), state: Type.String() });

/**
 * The tools and the screen with which a person reviews suggestions inside a chat (MCP Apps). The model may open the
 * screen. Deciding takes a ticket that only the screen gets, for a suggestion as it was shown, and the scope `account`.
 */
export function createReviewTools({ suggestions, memories, sealer, clock, publicUrl }: ReviewParts): Registration[] {
  const macOf = ({ tenantId, credential }: Principal, suggestion: Suggestion, untilMs: number) => {
    const shown = [tenantId, credential.kind, credential.hash, suggestion.id, etagOfSuggestion(suggestion), untilMs];
    return sealer.authenticate(JSON.stringify(shown), 'review');
  };

  function ticketFor(principal: Principal, suggestion: Suggestion): string {
    const untilMs = clock.nowMs() + TICKET_MS;
    return `${untilMs}.${macOf(principal, suggestion, untilMs)}`;
  }

  function requireTicket(principal: Principal, suggestion: Suggestion, ticket: string): void {
    const untilMs = Number(ticket.split('.')[0]);
    const isIssued = equalSecrets(ticket, `${untilMs}.${macOf(principal, suggestion, untilMs)}`);
    if (isIssued && untilMs > clock.nowMs()) return;
    throw new AppError(
      'forbidden',
      'Only the person decides, on a screen that shows the suggestion as it is now. Open it again.',
    );
  }

  async function cardOf(principal: Principal, suggestion: Suggestion): Promise<Card> {
    const found = await Promise.all(
      suggestion.memoryIds.map((id) =>
        memories.get(principal, id).catch((error: unknown) => {
          if (error instanceof AppError && error.code === 'not_found') return undefined;
          throw error;
        }),
      ),
    );
    const texts = found.flatMap((memory) =>
      memory ? [{ id: memory.id, content: memory.content.slice(0, SHOWN_CHARACTERS) }] : [],
    );
    const canDecide = hasScope(principal, 'account');
    return { suggestion, memories: texts, ...(canDecide && { ticket: ticketFor(principal, suggestion) }) };
  }

  function screenOf(principal: Principal, cards: Card[]): Screen {
    return { cards, canDecide: hasScope(principal, 'account'), url: `${publicUrl()}/dashboard/review` };
  }

  const decideAs = {
    accept: (principal: Principal, { id, keep }: Decision, ifMatch: string) =>
      suggestions.acceptOnce(principal, id, keep === undefined ? {} : { keep }, { ifMatch }),
    reject: (principal: Principal, { id }: Decision, ifMatch: string) =>
      suggestions.rejectOnce(principal, id, { ifMatch }),
    undo: (principal: Principal, { id }: Decision, ifMatch: string) => suggestions.undoOnce(principal, id, { ifMatch }),
  };

  return [
    tool({
      name: 'suggestions_review',
      title: 'Review suggestions',
      description: 'Show the user the open suggestions about their memories, to decide on a screen.',
      annotations: READS,
      ui: { resourceUri: URI, visibility: ['model', 'app'] },
      input: Review,
      arguments: { user: USER },
      output: Shown,
      async run(principal, { user }: Review) {
        const query = { state: 'open', limit: SHOWN, ...(user !== undefined && { user }) } as const;
        const { data } = await suggestions.list(principal, query);
        const cards = await Promise.all(data.map((suggestion) => cardOf(principal, suggestion)));
        return { shown: cards.length, screen: screenOf(principal, cards) };
      },
      text: ({ shown }) =>
        `${shown} open suggestions are on the user's screen. The user decides them there; you cannot.`,
      meta: ({ screen }) => ({ [SCREEN]: screen }),
    }),
    tool({
      name: 'suggestions_decide',
      title: 'Decide a suggestion',
      description: 'For the review screen only.',
      annotations: WRITES,
      scope: 'account',
      ui: { resourceUri: URI, visibility: ['app'] },
      input: Decision,
      arguments: { id: 'sug_… id', decision: 'What to do', keep: 'mem_… id', ticket: 'From the screen' },
      output: Decided,
      async run(principal, decision: Decision) {
        const shown = await suggestions.get(principal, decision.id);
        requireTicket(principal, shown, decision.ticket);
        const { body: decided } = await decideAs[decision.decision](principal, decision, etagOfSuggestion(shown));
        const screen = screenOf(principal, [await cardOf(principal, decided)]);
        return { id: decided.id, state: decided.state, screen };
      },
      text: ({ id, state }) => `${id}: ${state}`,
      meta: ({ screen }) => ({ [SCREEN]: screen }),
    }),
    reviewScreen(),
  ];
}

function reviewScreen(): Registration {
  const config = { title: 'Review', description: 'Decides suggestions.', mimeType: MIME_TYPE };
  // Without domains, a host lets the page load and reach nothing.
  const _meta = { ui: { prefersBorder: false, csp: { connectDomains: [], resourceDomains: [] } } };
  const register: Registration = (server) => {
    server.registerResource('review', URI, config, () => ({
      contents: [{ uri: URI, mimeType: MIME_TYPE, text: REVIEW_APP, _meta }],
    }));
  };
  return Object.assign(register, { forApps: true } as const);
}
