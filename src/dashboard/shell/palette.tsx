import { signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Memory } from '../../client/client.ts';
import type { ViewName } from '../../contract/view-names.ts';
import { whileTyping } from '../parts/typing.ts';
import { navigate, spaceOfPage } from '../router.ts';
import { currentSession } from '../session.ts';
import { joinedSpaces, may, OWN_MEMORY } from '../space.ts';
import { density, theme } from '../theme.ts';
import { searchedUser } from '../users.ts';
import { Icon, type IconName } from './icon.tsx';
import { operatorTransport } from './operator-session.ts';
import { isOffered } from './rail.tsx';
import { VIEWS } from './views.ts';

/** Whether the command palette is open. */
export const isPaletteOpen = signal(false);

interface Command {
  id: string;
  icon: IconName;
  text: string;
  hint?: string;
  run(): void;
}

function viewCommands(): Command[] {
  const names = (Object.keys(VIEWS) as ViewName[]).filter((name) =>
    name === 'operator' ? operatorTransport.value : isOffered(name),
  );
  return names.map((name) => ({
    id: name,
    icon: VIEWS[name].icon,
    text: VIEWS[name].title,
    hint: `g ${VIEWS[name].letter}`,
    run: () => navigate(name),
  }));
}

const WRITING: readonly Command[] = [
  { id: 'add', icon: 'plus', text: 'Add a memory', run: () => navigate('memories', { add: '1' }) },
  { id: 'import', icon: 'upload', text: 'Import', run: () => navigate('settings', { section: 'import' }) },
];

/** Other memories than the one that the page shows. */
function spaceCommands(): Command[] {
  const others = [undefined, ...joinedSpaces.value].filter((space) => space?.id !== spaceOfPage);
  return others.map((space) => ({
    id: `space ${space?.id}`,
    icon: space ? 'spaces' : 'user',
    text: `Switch to ${space?.name ?? OWN_MEMORY.toLowerCase()}`,
    run: () => navigate('home', { space: space?.id, user: undefined }),
  }));
}

function actionCommands(): Command[] {
  const isDark = theme.value === 'dark';
  const isDense = density.value === 'dense';
  return [
    ...(may('memory') ? WRITING : []),
    {
      id: 'export',
      icon: 'download',
      text: 'Export everything',
      run: () => navigate('settings', { section: 'export' }),
    },
    {
      id: 'theme',
      icon: 'settings',
      text: `Use the ${isDark ? 'light' : 'dark'} theme`,
      run: () => (theme.value = isDark ? 'light' : 'dark'),
    },
    {
      id: 'density',
      icon: 'menu',
      text: isDense ? 'Comfortable rows' : 'Dense rows',
      run: () => (density.value = isDense ? 'comfortable' : 'dense'),
    },
    { id: 'docs', icon: 'link', text: 'API reference', run: () => location.assign('/docs') },
  ];
}

function searchCommands(query: string, found: readonly Memory[]): Command[] {
  if (query === '') return [];
  return [
    ...found.map(
      (memory): Command => ({
        id: memory.id,
        icon: 'memory',
        text: memory.content.slice(0, 120),
        run: () => navigate('memories', { id: memory.id }),
      }),
    ),
    {
      id: 'search',
      icon: 'search',
      text: `Search memories for “${query}”`,
      run: () => navigate('memories', { q: query }),
    },
    {
      id: 'recall',
      icon: 'recall',
      text: `See what an assistant gets for “${query}”`,
      run: () => navigate('recall', { q: query }),
    },
  ];
}

/** A dialog that jumps to views, runs commands and finds memories. */
export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const query = useSignal('');
  const active = useSignal(0);
  const found = useSignal<readonly Memory[]>([]);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  useEffect(() => searchWhileTyping(query.value, (memories) => (found.value = memories)), [query.value]);

  const text = query.value.trim();
  const matches = (command: Command) => command.text.toLowerCase().includes(text.toLowerCase());
  const commands = [
    ...[...viewCommands(), ...spaceCommands(), ...actionCommands()].filter(matches),
    ...searchCommands(text, found.value),
  ];
  const index = Math.min(active.value, commands.length - 1);
  const close = () => (isPaletteOpen.value = false);
  const choose = (command: Command | undefined) => {
    if (!command) return;
    close();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      active.value = (index + step + commands.length) % Math.max(1, commands.length);
      document.getElementById(`palette-${active.value}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') {
      event.preventDefault();
      choose(commands[index]);
    }
  };
  return (
    <dialog
      class="palette"
      ref={dialog}
      aria-label="Command palette"
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="palette-body">
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={commands.length > 0 ? `palette-${index}` : undefined}
          aria-label="Search memories, views and commands"
          placeholder="Search memories, views and commands"
          autocomplete="off"
          spellcheck={false}
          {...whileTyping((typed) => {
            query.value = typed;
            active.value = 0;
          })}
          onKeyDown={onKeyDown}
        />
        <ul id="palette-list" role="listbox" aria-label="Results">
          {commands.map((command, at) => (
            <li
              key={command.id}
              id={`palette-${at}`}
              role="option"
              aria-selected={at === index}
              onClick={() => choose(command)}
            >
              <Icon name={command.icon} size={16} />
              <span class="palette-text">{command.text}</span>
              {command.hint && <kbd>{command.hint}</kbd>}
            </li>
          ))}
        </ul>
      </div>
    </dialog>
  );
}

const TYPING_PAUSE_MS = 180;

/** Searches once typing pauses. A failed search leaves the commands, which need no daemon. */
function searchWhileTyping(query: string, show: (memories: readonly Memory[]) => void): (() => void) | undefined {
  if (query.trim().length < 2) {
    show([]);
    return undefined;
  }
  const abort = new AbortController();
  const timer = setTimeout(async () => {
    const user = searchedUser.value;
    const request = { query, types: ['memory' as const], limit: 6, ...(user !== undefined && { user }) };
    const answer = await currentSession()
      .client.search(request, { signal: abort.signal, retries: 0 })
      .catch(() => undefined);
    if (answer && !abort.signal.aborted) show(answer.results as unknown as Memory[]);
  }, TYPING_PAUSE_MS);
  return () => {
    clearTimeout(timer);
    abort.abort();
  };
}
