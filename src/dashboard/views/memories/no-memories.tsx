import { Empty } from '../../parts/empty.tsx';
import { changeParameters, chosenUser, hrefOf, hrefWith } from '../../router.ts';
import { hrefOfConnecting, may } from '../../space.ts';
import { isFiltered, type ListState, NO_FILTERS } from './list-state.ts';

/** Says why the list is empty, and what to do about it. */
export function NoMemories({ state }: { state: ListState }) {
  if (state.query !== '') {
    return (
      <Empty icon="search" title="No memory matches">
        <p>
          Try other words{isFiltered(state) ? ', or fewer filters' : ''}
          {chosenUser.value === undefined ? '.' : ', or search for another user.'}
        </p>
        <div class="buttons">
          {isFiltered(state) && (
            <button type="button" onClick={() => changeParameters({ ...NO_FILTERS })}>
              Clear filters
            </button>
          )}
          <a class="button" href={hrefWith({ q: undefined })}>
            Show all memories
          </a>
        </div>
      </Empty>
    );
  }
  if (state.asOfMs !== undefined) {
    return (
      <Empty icon="clock" title="Nothing was known yet">
        <button type="button" onClick={() => changeParameters({ asOf: undefined })}>
          Back to today
        </button>
      </Empty>
    );
  }
  if (isFiltered(state)) {
    return (
      <Empty icon="memory" title="No memory passes these filters">
        <button type="button" onClick={() => changeParameters({ ...NO_FILTERS })}>
          Clear filters
        </button>
      </Empty>
    );
  }
  return (
    <Empty icon="memory" title="Nothing is remembered yet">
      <p>
        A memory is one fact that your assistants should know in every conversation, such as “Ada prefers oolong tea”.
        Connect an assistant and it stores them as you talk, or write the first one yourself.
      </p>
      <div class="buttons">
        {may('memory') && (
          <button type="button" class="primary" onClick={() => changeParameters({ add: '1' })}>
            Add a memory
          </button>
        )}
        <a class="button" href={hrefOfConnecting()}>
          Connect an assistant
        </a>
        {may('memory') && (
          <a class="button" href={hrefOf('settings', { section: 'import' })}>
            Import
          </a>
        )}
      </div>
    </Empty>
  );
}
