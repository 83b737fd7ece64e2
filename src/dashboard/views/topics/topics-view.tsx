import { useRef } from 'preact/hooks';
import { Loading } from '../../parts/loading.tsx';
import { chosenUser, parameters } from '../../router.ts';
import { areUsersKnown, searchedUser } from '../../users.ts';
import { TopicList } from './topic-list.tsx';
import { TopicPage } from './topic-page.tsx';

/** What the memories of a user are about: a list, and a page for each topic. */
export function View() {
  const id = parameters.value.get('id') ?? undefined;
  const lastOpen = useRef<string | undefined>(undefined);
  if (id !== undefined) {
    lastOpen.current = id;
    return <TopicPage key={id} id={id} />;
  }
  if (chosenUser.value === undefined && !areUsersKnown.value) return <Loading label="Loading topics" rows={12} />;
  return <TopicList user={searchedUser.value} lastOpen={lastOpen.current} />;
}
