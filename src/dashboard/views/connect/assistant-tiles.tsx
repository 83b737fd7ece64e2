import { useSignal } from '@preact/signals';
import type { Assistant } from '../../../cli/assistants/assistant.ts';
import { titleOfClient } from '../../../cli/assistants/assistant-names.ts';
import { ASSISTANTS } from '../../../cli/assistants/assistant-table.ts';
import { Moment } from '../../parts/moment.tsx';
import { whileTyping } from '../../parts/typing.ts';
import { hrefOf } from '../../router.ts';

/** The assistants shown first, most used first, unless another one is connected. */
const FIRST = ['claude-code', 'claude-desktop', 'cursor', 'vscode', 'codex', 'gemini', 'copilot', 'windsurf', 'zed'];

interface AssistantTilesProps {
  chosen: string | undefined;
  /** When each connected assistant was last seen, by id. */
  seen: ReadonlyMap<string, string>;
  /** Clients that are none of the assistants. */
  otherClients: readonly string[];
}

/** A tile for each assistant that svc can set up. */
export function AssistantTiles({ chosen, seen, otherClients }: AssistantTilesProps) {
  const wanted = useSignal('');
  const areAllShown = useSignal(false);
  const found = inOrder(seen).filter((assistant) => matches(assistant, wanted.value));
  const connected = found.filter(({ id }) => seen.has(id));
  const others = found.filter(({ id }) => !seen.has(id));
  const isCut = wanted.value === '' && !areAllShown.value && others.length > FIRST.length;
  const shown = isCut ? others.filter(({ id }) => FIRST.includes(id) || id === chosen) : others;
  const tilesOf = (assistants: readonly Assistant[]) => (
    <ul class="tiles">
      {assistants.map((assistant) => (
        <li key={assistant.id}>
          <Tile assistant={assistant} isChosen={assistant.id === chosen} lastSeenAt={seen.get(assistant.id)} />
        </li>
      ))}
    </ul>
  );
  return (
    <section class="card stack" aria-labelledby="assistants-title">
      <div class="card-head">
        <h2 id="assistants-title">Assistants</h2>
        <input
          type="search"
          class="tile-search"
          aria-label="Find an assistant"
          placeholder={`Find one of ${ASSISTANTS.length}`}
          {...whileTyping((text) => (wanted.value = text))}
        />
      </div>
      {connected.length > 0 && (
        <>
          {tilesOf(connected)}
          {others.length > 0 && <h3 class="hint">Not connected yet</h3>}
        </>
      )}
      {tilesOf(shown)}
      {isCut && (
        <button type="button" class="link" onClick={() => (areAllShown.value = true)}>
          Show all {ASSISTANTS.length}
        </button>
      )}
      {found.length === 0 && (
        <p class="hint">
          svc cannot set up this assistant for you. If it supports MCP, connect it with the URL and header below.
        </p>
      )}
      {otherClients.length > 0 && (
        <p class="bar other-clients">
          <span class="hint">Also connected:</span>
          {otherClients.slice(0, 8).map((client) => (
            <a key={client} href={hrefOf('activity', { client })}>
              {titleOfClient(client)}
            </a>
          ))}
        </p>
      )}
    </section>
  );
}

interface TileProps {
  assistant: Assistant;
  isChosen: boolean;
  lastSeenAt: string | undefined;
}

function Tile({ assistant: { id, title }, isChosen, lastSeenAt }: TileProps) {
  return (
    <a class="tile" href={hrefOf('connect', { assistant: id })} aria-current={isChosen ? 'true' : undefined}>
      <span class={`connection-dot${lastSeenAt ? ' is-on' : ''}`} aria-hidden="true" />
      <span class="tile-name">
        {title}
        {lastSeenAt && (
          <span class="hint">
            seen <Moment at={lastSeenAt} />
          </span>
        )}
      </span>
    </a>
  );
}

function inOrder(seen: ReadonlyMap<string, string>): Assistant[] {
  const place = ({ id }: Assistant) => (FIRST.includes(id) ? FIRST.indexOf(id) : FIRST.length);
  const latest = ({ id }: Assistant) => seen.get(id) ?? '';
  return [...ASSISTANTS].sort((a, b) => latest(b).localeCompare(latest(a)) || place(a) - place(b));
}

function matches({ id, title, aliases = [] }: Assistant, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  return [id, title.toLowerCase(), ...aliases].some((name) => name.includes(wanted));
}
