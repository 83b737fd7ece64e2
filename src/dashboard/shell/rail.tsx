import type { ViewName } from '../../contract/view-names.ts';
import { currentView, hrefOf, spaceOfPage } from '../router.ts';
import { invitations, joinedSpaces } from '../space.ts';
import { Icon } from './icon.tsx';
import { operatorTransport } from './operator-session.ts';
import { SpaceLinks } from './space-switcher.tsx';
import { VIEWS } from './views.ts';

const MAIN: readonly ViewName[] = [
  'home',
  'memories',
  'review',
  'topics',
  'map',
  'conversations',
  'recall',
  'learning',
];
const MORE: readonly ViewName[] = ['connect', 'spaces', 'activity', 'settings'];
/** Views that have a place in the bar at the bottom of a narrow screen; the account menu has the others. */
const ON_NARROW = new Set<ViewName>(['home', 'memories', 'conversations', 'recall', 'settings']);

/** Views that are not in the bar of a narrow screen. */
export const NOT_ON_NARROW = [...MAIN, ...MORE].filter((name) => !ON_NARROW.has(name));

/** Whether a view has something to show where the page acts: some are about the own account. */
export function isOffered(name: ViewName): boolean {
  return spaceOfPage === undefined || !VIEWS[name].isPersonal;
}

/** The navigation: a rail on the left, or a bar at the bottom of narrow screens. */
export function Rail({ hasAccount }: { hasAccount: boolean }) {
  const operator: readonly ViewName[] = operatorTransport.value ? ['operator'] : [];
  const groups = hasAccount ? [MAIN, [...MORE, ...operator]] : [operator];
  return (
    <nav class="rail" aria-label="Views">
      <a class="brand" href={hrefOf(hasAccount ? 'home' : 'operator')}>
        <img src="/dashboard/favicon.svg" alt="" width="26" height="26" />
        <span>svc</span>
      </a>
      {groups.map((names) => (
        <ul key={names[0]} class="rail-group">
          {names.filter(isOffered).map((name) => (
            <li key={name} class={ON_NARROW.has(name) || !hasAccount ? '' : 'is-wide-only'}>
              <a href={hrefOf(name)} aria-current={currentView.value === name ? 'page' : undefined}>
                <Icon name={VIEWS[name].icon} />
                <span>{VIEWS[name].title}</span>
                {name === 'spaces' && invitations.value.length > 0 && (
                  <span class="chip is-accent" title="Invitations">
                    {invitations.value.length}
                    <span class="unseen">{invitations.value.length === 1 ? ' invitation' : ' invitations'}</span>
                  </span>
                )}
              </a>
            </li>
          ))}
        </ul>
      ))}
      {hasAccount && joinedSpaces.value.length > 0 && (
        <div class="rail-group is-wide-only">
          <SpaceLinks label="Switch" />
        </div>
      )}
    </nav>
  );
}
