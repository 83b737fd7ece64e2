/** The screen on which a person decides suggestions inside a chat: one page without any external part. */
export const REVIEW_APP = `<!doctype html>
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
