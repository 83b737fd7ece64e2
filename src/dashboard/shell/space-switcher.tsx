import { useEffect, useRef } from 'preact/hooks';
import type { ViewName } from '../../contract/view-names.ts';
import { currentView, hrefOf, spaceOfPage } from '../router.ts';
import { currentSpace, invitations, joinedSpaces, OWN_MEMORY } from '../space.ts';
import { closeOnLeaving } from './close-on-leaving.ts';
import { Icon } from './icon.tsx';
import { VIEWS } from './views.ts';

/** Says whose memory the page shows, with the caller's role, and leads to the others. No view hides it. */
export function SpaceSwitcher() {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => closeOnLeaving(menu.current!), []);
  const space = currentSpace.value;
  return (
    <details class="menu space-menu" ref={menu}>
      <summary>
        <span class="unseen">Shown: </span>
        <Icon name={space ? 'spaces' : 'user'} size={16} />
        <span class="space-name">{space?.name ?? OWN_MEMORY}</span>
        {space && <span class="chip is-accent">{space.role}</span>}
        <Icon name="right" size={14} />
      </summary>
      <div class="menu-panel">
        <SpaceLinks label="Memories" />
        <a class="menu-item" href={hrefOf('spaces')}>
          {invitations.value.length > 0 ? 'Spaces and invitations' : 'All spaces'}
        </a>
      </div>
    </details>
  );
}

/** Links to the own memory and to each space, at the same view where it has one. */
export function SpaceLinks({ label }: { label: string }) {
  const view = currentView.value ?? 'home';
  return (
    <ul class="space-links" aria-label={label}>
      {[undefined, ...joinedSpaces.value].map((space) => (
        <li key={space?.id ?? ''}>
          <a
            class={space ? 'is-space' : ''}
            href={hrefOf(viewIn(view, space?.id), { space: space?.id, user: undefined })}
            aria-current={space?.id === spaceOfPage ? 'true' : undefined}
          >
            <Icon name={space ? 'spaces' : 'user'} size={16} />
            <span class="row-text">{space?.name ?? OWN_MEMORY}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function viewIn(view: ViewName, spaceId: string | undefined): ViewName {
  return spaceId !== undefined && VIEWS[view].isPersonal ? 'home' : view;
}
