import { useSignal } from '@preact/signals';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { currentSession } from '../../session.ts';
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
