import type { Assistant, DesiredEntry } from '../../../cli/assistants/assistant.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useResource } from '../../resource.ts';
import { changeParameters, parameters } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { Icon } from '../../shell/icon.tsx';
import { fileText } from './entry-text.ts';
import { installLink, linkedEntry } from './install-links.ts';
import {
  configPath,
  entryFor,
  KEY_PLACEHOLDER,
  SYSTEMS,
  type System,
  setupCommand,
  systemOf,
  type Transport,
} from './setup.ts';
import { keyToCopy, keyToShow, RevealButton } from './shown-key.tsx';

const SYSTEM_TITLES: Record<System, string> = { macos: 'macOS', linux: 'Linux', windows: 'Windows' };

/** Explains how to connect one assistant: with a command, with a link, or by editing its configuration. */
export function AssistantSetup({ assistant }: { assistant: Assistant }) {
  const setup = { assistant, transport: chosenTransport(assistant), system: chosenSystem() };
  return (
    <>
      <Choices {...setup} />
      <LinkSetup {...setup} />
      <CommandSetup {...setup} />
      <ManualSetup {...setup} />
    </>
  );
}

interface Setup {
  assistant: Assistant;
  transport: Transport;
  system: System;
}

function chosenTransport({ http }: Assistant): Transport {
  const wanted = parameters.value.get('via');
  if (!http) return 'stdio';
  if (wanted === 'http' || wanted === 'stdio') return wanted;
  return currentSession().freshKey === undefined ? 'stdio' : 'http';
}

function chosenSystem(): System {
  return SYSTEMS.find((name) => name === parameters.value.get('system')) ?? systemOf(navigator.platform);
}

function Choices({ assistant, transport, system }: Setup) {
  return (
    <div class="bar">
      {assistant.http && (
        <Tabs
          label="Connection"
          tabs={[
            { name: 'stdio', title: 'Local command' },
            { name: 'http', title: 'URL and key' },
          ]}
          chosen={transport}
          onChoose={(via) => changeParameters({ via }, 'replace')}
        />
      )}
      <Tabs
        label="System"
        tabs={SYSTEMS.map((name) => ({ name, title: SYSTEM_TITLES[name] }))}
        chosen={system}
        onChoose={(name) => changeParameters({ system: name }, 'replace')}
      />
    </div>
  );
}

/** A link that opens the assistant, which asks before it adds the entry. */
function LinkSetup({ assistant, transport, system }: Setup) {
  const isHttps = location.protocol === 'https:';
  const oauth = useResource(isHttps ? 'oauth' : undefined, offersOAuth);
  const facts = { origin: location.origin, key: currentSession().freshKey, hasOAuth: oauth.state.value.value === true };
  const entry = linkedEntry(assistant, transport, facts);
  const link = entry && installLink(assistant, entry);
  if (!link) return null;
  return (
    <section class="stack">
      <h3>With one click</h3>
      <div class="buttons">
        <a class="button primary" href={link}>
          <Icon name="plus" size={16} />
          Add to {assistant.title}
        </a>
      </div>
      <p class="hint">
        {linkHint(assistant, entry)}
        {needsPath(assistant, transport, system) &&
          ` If ${assistant.title} cannot start svc, use the command below, which writes its full path.`}
      </p>
    </section>
  );
}

async function offersOAuth(signal: AbortSignal): Promise<boolean> {
  return (await fetch('/.well-known/oauth-authorization-server', { signal })).ok;
}

function linkHint({ title, keyNote, input }: Assistant, entry: DesiredEntry): string {
  if (entry.transport === 'stdio') return 'The link holds no key: svc reads it where you ran “svc login”.';
  if (entry.transport === 'oauth') return `The link holds no key: ${title} opens a page on which you allow it.`;
  if ('literal' in entry.key) return 'The link holds the key above: do not pass it on.';
  if (input) return `The link holds no key: ${title} asks for it.`;
  return keyNote ?? `The link holds no key: ${title} reads it from ${entry.key.variable}.`;
}

function needsPath({ desktop }: Assistant, transport: Transport, system: System): boolean {
  return transport === 'stdio' && (desktop === true || system === 'windows');
}

function CommandSetup({ assistant, transport, system }: Setup) {
  const isFresh = currentSession().freshKey !== undefined;
  const command = (key: string) =>
    setupCommand(assistant, transport, system, isFresh ? { origin: location.origin, key } : undefined);
  return (
    <section class="stack">
      <h3>In a terminal</h3>
      <div class="command-line">
        <code>{command(keyToShow())}</code>
        <CopyButton text={() => command(keyToCopy())} label="Copy the command" isIcon />
      </div>
      <p class="hint">
        {isFresh && transport === 'stdio'
          ? 'Your sign-in here replaced the key of the terminal. Run “svc login” there first, which replaces the key above in turn.'
          : 'Writes the entry below into the file, and keeps what else is in it. Run it where svc is installed.'}
      </p>
    </section>
  );
}

function ManualSetup({ assistant, transport, system }: Setup) {
  const path = configPath(assistant, system);
  const text = (key: string) => fileText(assistant, entryFor(transport, location.origin, key)) ?? '';
  return (
    <section class="stack">
      <h3>Or by hand</h3>
      <div class="command-line">
        <code>{path}</code>
        <CopyButton text={() => path} label="Copy the path" isIcon />
      </div>
      <pre class="snippet">{text(keyToShow())}</pre>
      <div class="buttons">
        <CopyButton text={() => text(keyToCopy())} label="Copy configuration" class="small primary" />
        {transport === 'http' && currentSession().freshKey && <RevealButton />}
      </div>
      <SetupHints assistant={assistant} transport={transport} system={system} />
    </section>
  );
}

function SetupHints({ assistant, transport, system }: Setup) {
  const { title, notes } = assistant;
  const hints = [
    transport === 'stdio' && 'The local command reads the key from your keychain, so the file contains none.',
    transport === 'http' && currentSession().freshKey === undefined && (
      <>
        Replace <code>{KEY_PLACEHOLDER}</code> with your key. The command above fills it in.
      </>
    ),
    needsPath(assistant, transport, system) &&
      `${title} needs the full path of svc here. The command in the terminal fills it in.`,
    notes?.user,
    `Then restart ${title}.`,
  ];
  return (
    <ul class="setup-hints hint">
      {hints.filter(Boolean).map((hint, index) => (
        <li key={index}>{hint}</li>
      ))}
    </ul>
  );
}
