import { useEffect } from 'preact/hooks';
import type { Client } from '../../client/client.ts';
import { formatCount } from '../format.ts';
import { onChanges } from '../live.ts';
import { useResource } from '../resource.ts';
import { changeParameters, chosenUser } from '../router.ts';
import { areUsersKnown, users } from '../users.ts';

/** Chooses one end user, or all of them, for every view. Hidden where there is only one. */
export function UserSwitcher({ client }: { client: Client }) {
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
