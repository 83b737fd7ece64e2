import { useEffect, useRef } from 'preact/hooks';
import type { Client } from '../../client/client.ts';
import { describeError } from '../errors.ts';
import { formatCount } from '../format.ts';
import { onChanges } from '../live.ts';
import { showToast } from '../parts/toasts.tsx';
import { useResource } from '../resource.ts';
import { changeParameters, chosenUser, currentView, hrefOf } from '../router.ts';
import { type Session, signOut } from '../session.ts';
import { type Density, density, type Theme, theme } from '../theme.ts';
import { areUsersKnown, users } from '../users.ts';
import { closeOnLeaving } from './close-on-leaving.ts';
import { Icon } from './icon.tsx';
import { closeOperator } from './operator-session.ts';
import { isPaletteOpen } from './palette.tsx';
import { isOffered, NOT_ON_NARROW } from './rail.tsx';
import { SpaceSwitcher } from './space-switcher.tsx';
import { VIEWS } from './views.ts';

const THEMES: readonly (readonly [Theme, string])[] = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];
const DENSITIES: readonly (readonly [Density, string])[] = [
  ['dense', 'Dense'],
  ['comfortable', 'Comfortable'],
];

/** The bar above a view: its title, the chosen user, the palette and the account menu. */
export function TopBar({ session, title }: { session: Session | undefined; title: string }) {
  const isMac = navigator.platform.startsWith('Mac');
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => closeOnLeaving(menu.current!), []);
  return (
    <header class="top-bar">
      {session && <SpaceSwitcher />}
      <h1 class="top-title">{title}</h1>
      {session && currentView.value !== 'operator' && <UserSwitcher client={session.client} />}
      {session && (
        <button type="button" class="palette-button" onClick={() => (isPaletteOpen.value = true)}>
          <Icon name="search" size={16} />
          <span>Search or jump to…</span>
          <kbd>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
        </button>
      )}
      <details class="menu account-menu" ref={menu}>
        <summary aria-label="Account">
          <Icon name="user" />
        </summary>
        <div class="menu-panel">
          <p class="menu-email">{session ? session.email : 'Operator'}</p>
          {session && (
            <nav class="menu-views" aria-label="More">
              {NOT_ON_NARROW.filter(isOffered).map((name) => (
                <a key={name} class="menu-item" href={hrefOf(name)}>
                  <Icon name={VIEWS[name].icon} size={16} /> {VIEWS[name].title}
                </a>
              ))}
            </nav>
          )}
          <fieldset class="segments">
            <legend>Theme</legend>
            {THEMES.map(([name, title]) => (
              <label key={name}>
                <input type="radio" name="theme" checked={theme.value === name} onChange={() => (theme.value = name)} />
                <span>{title}</span>
              </label>
            ))}
          </fieldset>
          <fieldset class="segments">
            <legend>Rows</legend>
            {DENSITIES.map(([name, title]) => (
              <label key={name}>
                <input
                  type="radio"
                  name="density"
                  checked={density.value === name}
                  onChange={() => (density.value = name)}
                />
                <span>{title}</span>
              </label>
            ))}
          </fieldset>
          <a class="menu-item" href="/docs">
            API reference
          </a>
          <button
            type="button"
            class="menu-item"
            onClick={() =>
              (session ? signOut() : closeOperator()).catch((error) => showToast(describeError(error), 'error'))
            }
          >
            {session ? 'Sign out' : 'Close the operator view'}
          </button>
        </div>
      </details>
    </header>
  );
}

/** Chooses one end user, or all of them, for every view. Hidden where there is only one. */
function UserSwitcher({ client }: { client: Client }) {
  const { reload } = useResource('users', async (signal) => {
    try {
      users.value = (await client.users.list({ limit: 200 }, { signal })).data;
    } finally {
      areUsersKnown.value = true;
    }
  });
  useEffect(() => onChanges(['memory', 'conversation'], reload), [reload]);
  const chosen = chosenUser.value;
  if (users.value.length < 2 && chosen === undefined) return null;
  const isKnown = chosen === undefined || users.value.some(({ user }) => user === chosen);
  return (
    <label class="user-switcher">
      <span class="unseen">User</span>
      <select
        value={chosen ?? ''}
        onChange={(event) => changeParameters({ user: event.currentTarget.value, id: undefined })}
      >
        <option value="">All users</option>
        {!isKnown && <option value={chosen}>{chosen}</option>}
        {users.value.map(({ user, memories }) => (
          <option key={user} value={user}>
            {user} · {formatCount(memories, 'memory', 'memories')}
          </option>
        ))}
      </select>
    </label>
  );
}
