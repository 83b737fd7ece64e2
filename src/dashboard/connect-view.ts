import type { Account } from './api.ts';
import { byId, element } from './dom.ts';
import { timeElement } from './format.ts';
import { maskKey, type Session } from './session.ts';
import { makeCopyButton } from './view.ts';

type EntryForm = 'lines' | 'json' | 'bridge';

const HINTS: Record<EntryForm, string> = {
  lines: 'For any assistant that supports MCP over HTTP. Enter both values in its settings.',
  json: 'The format most assistants use. VS Code names the outer object "servers"; Windsurf names the URL "serverUrl".',
  bridge:
    'For assistants that start MCP servers as a command. Run "svc login" once: the key then stays in your keychain instead of this file.',
};

function entryText(form: EntryForm, key: string): string {
  const url = `${location.origin}/v1/mcp`;
  const authorization = `Bearer ${key}`;
  if (form === 'lines') return `url: ${url}\nAuthorization: ${authorization}`;
  const server =
    form === 'json' ? { url, headers: { Authorization: authorization } } : { command: 'svc', args: ['mcp'] };
  return JSON.stringify({ mcpServers: { svc: server } }, null, 2).replace('[\n        "mcp"\n      ]', '["mcp"]');
}

/** The card with the API key and the configuration for assistants. Created once per page. */
export interface ConnectView {
  show(session: Session): void;
  /** Shows when the key was created and last used. */
  describe(account: Account): void;
  /** Removes the key from the page. */
  clear(): void;
}

interface State {
  session: Session | undefined;
  revealed: boolean;
}

function chosenForm(): EntryForm {
  return (document.querySelector<HTMLInputElement>('input[name=entry]:checked')?.value ?? 'lines') as EntryForm;
}

function render({ session, revealed }: State): void {
  const form = chosenForm();
  const shownKey = session ? (revealed ? session.key : maskKey(session.key)) : '';
  byId('key-text').textContent = shownKey;
  byId('entry-text').textContent = session ? entryText(form, shownKey) : '';
  byId('entry-hint').textContent = HINTS[form];
  byId('key-reveal').textContent = revealed ? 'Hide' : 'Reveal';
}

function reset(state: State, session: Session | undefined): void {
  state.session = session;
  state.revealed = false;
  byId('key-once').hidden = !session?.fresh;
  byId('key-facts').replaceChildren();
  render(state);
}

export function createConnectView(): ConnectView {
  const state: State = { session: undefined, revealed: false };
  byId('key-reveal').addEventListener('click', () => {
    state.revealed = !state.revealed;
    render(state);
  });
  for (const choice of document.querySelectorAll('input[name=entry]')) {
    choice.addEventListener('change', () => render(state));
  }
  makeCopyButton('key-copy', () => state.session?.key ?? '');
  makeCopyButton('entry-copy', () => (state.session ? entryText(chosenForm(), state.session.key) : ''));
  return {
    show: (session) => reset(state, session),
    describe({ key }) {
      if (!key) return;
      const used = key.lastUsedAt ? [', last used ', timeElement(key.lastUsedAt)] : [];
      byId('key-facts').replaceChildren(element('span', {}, ['Created ', timeElement(key.createdAt), ...used, '.']));
    },
    clear: () => reset(state, undefined),
  };
}
