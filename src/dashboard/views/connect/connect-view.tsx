import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { findAssistant } from '../../../cli/assistants/assistant-table.ts';
import { parseTimestamp, systemClock } from '../../../lib/clock.ts';
import { formatPast } from '../../format.ts';
import { onChanges } from '../../live.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { SidePane } from '../../parts/side-pane.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useResource } from '../../resource.ts';
import { changeParameters, parameters } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { AllowDevice } from './allow-device.tsx';
import { AssistantSetup } from './assistant-setup.tsx';
import { AssistantTiles } from './assistant-tiles.tsx';
import { ConnectionsCard } from './connections-card.tsx';
import { FreshKey, KeyCard } from './key-card.tsx';
import { lastSeen, loadLatestClients, loadSeenClients, otherClients } from './seen-clients.ts';
import { mcpUrl } from './setup.ts';
import { keyToCopy, keyToShow, RevealButton } from './shown-key.tsx';

const FORMS = [
  { name: 'lines', title: 'URL and header' },
  { name: 'json', title: 'JSON' },
  { name: 'bridge', title: 'Local command' },
  { name: 'curl', title: 'curl' },
] as const;
type Form = (typeof FORMS)[number]['name'];

const HINTS: Record<Form, string> = {
  lines: 'For any assistant that supports MCP over HTTP. Enter both values in its settings.',
  json: 'The format most assistants use. VS Code names the outer object "servers"; Windsurf names the URL "serverUrl".',
  bridge: 'For assistants that start MCP servers as a command. The key stays in your keychain.',
  curl: 'Lists your memories. The API reference is at /docs, the OpenAPI document at /openapi.json.',
};

/** Shows the settings that any MCP client or program needs to connect. */
export function AnyClient() {
  const form = useSignal<Form>('lines');
  return (
    <section class="card stack" aria-labelledby="any-client-title">
      <h2 id="any-client-title">Any other client</h2>
      <Tabs label="Format" tabs={FORMS} chosen={form.value} onChoose={(name) => (form.value = name)} />
      <pre class="snippet">{textOf(form.value, keyToShow())}</pre>
      <div class="buttons">
        <CopyButton text={() => textOf(form.value, keyToCopy())} />
        {form.value !== 'bridge' && currentSession().freshKey && <RevealButton />}
      </div>
      <p class="hint">{HINTS[form.value]}</p>
    </section>
  );
}

function textOf(form: Form, key: string): string {
  const authorization = `Bearer ${key}`;
  if (form === 'lines') return `url: ${mcpUrl(location.origin)}\nAuthorization: ${authorization}`;
  if (form === 'curl') return `curl ${location.origin}/v1/memories \\\n  -H "Authorization: ${authorization}"`;
  const server =
    form === 'json'
      ? { url: mcpUrl(location.origin), headers: { Authorization: authorization } }
      : { command: 'svc', args: ['mcp'] };
  return JSON.stringify({ mcpServers: { svc: server } }, null, 2);
}

interface ConnectionStatusProps {
  title: string;
  /** When the assistant last sent a request. */
  lastSeenAt: string | undefined;
  /** Looks again whether it has. */
  onLook(): void;
}

const LOOK_INTERVAL_MS = 3000;
const MINUTE_MS = 60_000;

/** Waits for the first request of an assistant, and says when it came. */
export function ConnectionStatus({ title, lastSeenAt, onLook }: ConnectionStatusProps) {
  const nowMs = useSignal(systemClock.nowMs());
  useEffect(() => {
    const look = setInterval(() => !document.hidden && onLook(), LOOK_INTERVAL_MS);
    const tick = setInterval(() => (nowMs.value = systemClock.nowMs()), 1000);
    return () => {
      clearInterval(look);
      clearInterval(tick);
    };
  }, []);
  const seenMs = lastSeenAt === undefined ? undefined : parseTimestamp(lastSeenAt);
  const isConnected = seenMs !== undefined;
  return (
    <p class={`connection-status${isConnected ? ' is-on' : ''}`} role="status" aria-live="polite">
      <span class="connection-dot" aria-hidden="true" />
      <span>{isConnected ? `${title} is connected` : `Waiting for ${title}…`}</span>
      {isConnected && (
        <span class="hint" aria-live="off">
          {describeAge(seenMs, nowMs.value)}
        </span>
      )}
    </p>
  );
}

/** `last request 3 s ago`, or as other times are shown from a minute on. */
function describeAge(seenMs: number, nowMs: number): string {
  const agoMs = Math.max(0, nowMs - seenMs);
  return `last request ${agoMs < MINUTE_MS ? `${Math.floor(agoMs / 1000)} s ago` : formatPast(seenMs, nowMs)}`;
}

/** Sets up assistants, and shows what may use the account. */
export function View() {
  const { client, freshKey } = currentSession();
  const account = useResource('account', (signal) => client.account.get({ signal }));
  const clients = useResource('clients', (signal) => loadSeenClients(client, signal));
  useEffect(() => onChanges(['account'], account.reload), []);
  const latest = useResource('latest', (signal) => loadLatestClients(client, signal));
  useEffect(() => onChanges(['memory', 'conversation', 'feedback'], latest.reload), []);
  const { value = [], error } = clients.state.value;
  const found = [...(latest.state.value.value ?? []), ...value];
  const seen = lastSeen(found);
  const device = parameters.value.get('device');
  const chosen = findAssistant(parameters.value.get('assistant') ?? '');
  return (
    <div class={`with-pane${chosen ? ' is-open' : ''}`}>
      <div class="stack">
        {device && <AllowDevice key={device} userCode={device} />}
        {freshKey && <FreshKey apiKey={freshKey} />}
        {error !== undefined && <Failure error={error} onRetry={clients.reload} />}
        <AssistantTiles chosen={chosen?.id} seen={seen} otherClients={otherClients(found)} />
        <div class="grid connect-cards">
          <AnyClient />
          <KeyCard account={account} />
        </div>
        <ConnectionsCard />
      </div>
      {chosen && (
        <SidePane
          key={chosen.id}
          title={`Connect ${chosen.title}`}
          onClose={() => changeParameters({ assistant: undefined, via: undefined, system: undefined })}
        >
          <ConnectionStatus title={chosen.title} lastSeenAt={seen.get(chosen.id)} onLook={latest.reload} />
          <AssistantSetup assistant={chosen} />
        </SidePane>
      )}
    </div>
  );
}
