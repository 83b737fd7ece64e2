import { useSignal } from '@preact/signals';
import type { Assistant } from '../../../cli/assistants/assistant.ts';
import { ASSISTANTS } from '../../../cli/assistants/assistant-table.ts';
import { hrefOf } from '../../router.ts';

/** A tile for each assistant that svc can set up. */
export function AssistantTiles({ chosen }: { chosen: string | undefined }) {
  const wanted = useSignal('');
  const found = ASSISTANTS.filter((assistant) => matches(assistant, wanted.value));
  return (
    <section class="card" aria-labelledby="assistants-title">
      <div class="card-head">
        <h2 id="assistants-title">Assistants</h2>
        <input
          type="search"
          class="tile-search"
          aria-label="Find an assistant"
          placeholder={`Find one of ${ASSISTANTS.length}`}
          value={wanted.value}
          onInput={(event) => (wanted.value = event.currentTarget.value)}
        />
      </div>
      <ul class="tiles">
        {found.map((assistant) => (
          <li key={assistant.id}>
            <Tile assistant={assistant} isChosen={assistant.id === chosen} />
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <p class="hint">
          svc cannot set this one up by itself. If it supports MCP, connect it with the URL and header below.
        </p>
      )}
    </section>
  );
}

function Tile({ assistant, isChosen }: { assistant: Assistant; isChosen: boolean }) {
  const { id, title } = assistant;
  return (
    <a class="tile" href={hrefOf('connect', { assistant: id })} aria-current={isChosen ? 'true' : undefined}>
      <span class="tile-mark" aria-hidden="true">
        {initialsOf(title)}
      </span>
      <span class="tile-name">{title}</span>
    </a>
  );
}

function matches({ id, title, aliases = [] }: Assistant, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  return [id, title.toLowerCase(), ...aliases].some((name) => name.includes(wanted));
}

function initialsOf(title: string): string {
  const words = title.split(' ').filter((word) => /^[A-Z]/i.test(word) && word !== 'in');
  const [first = '', second] = words;
  return (second ? first.charAt(0) + second.charAt(0) : first.slice(0, 2)).toUpperCase();
}
