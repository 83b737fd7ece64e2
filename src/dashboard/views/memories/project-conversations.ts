import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { onChanges } from '../../live.ts';
import { useResource } from '../../resource.ts';
import { currentSession } from '../../session.ts';
import { isFiltered, isWindowed, type ListState } from './list-state.ts';

/** The conversations of the project whose memories are all selected. */
export interface ProjectConversations {
  project: string;
  ids: readonly string[];
  /** Whether they are to be forgotten with the memories. */
  areChosen: Signal<boolean>;
}

/**
 * Loads the conversations of the chosen project while all its memories are selected, and not only those that pass other
 * filters; undefined if there are none.
 */
export function useProjectConversations(state: ListState, areAllSelected: boolean): ProjectConversations | undefined {
  const { client } = currentSession();
  const areChosen = useSignal(false);
  const { project, user, query } = state;
  const isWhole = query === '' && !isWindowed(state) && !isFiltered({ ...state, project: undefined });
  const key = areAllSelected && isWhole && project !== undefined ? JSON.stringify([project, user]) : undefined;
  const found = useResource(key, async (signal) => {
    const query = { project: project!, projectOnly: true, ...(user !== undefined && { user }), limit: 200 };
    const ids: string[] = [];
    for await (const { id } of client.conversations.list(query, { signal })) ids.push(id);
    return ids;
  });
  useEffect(() => {
    areChosen.value = false;
  }, [key]);
  useEffect(() => onChanges(['conversation'], found.reload), [found.reload]);
  const ids = found.state.value.value ?? [];
  return key === undefined || ids.length === 0 ? undefined : { project: project!, ids, areChosen };
}
