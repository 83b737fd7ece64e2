import { useEffect, useRef } from 'preact/hooks';
import { Tabs } from '../../parts/tabs.tsx';
import { whileTyping } from '../../parts/typing.ts';
import { changeParameters } from '../../router.ts';
import { Icon } from '../../shell/icon.tsx';
import { may } from '../../space.ts';
import { AsOfButton, AsOfSlider } from './as-of.tsx';
import type { ListState } from './list-state.ts';

const TYPING_PAUSE_MS = 250;
const LAYOUTS = [
  { name: 'list', title: 'List' },
  { name: 'timeline', title: 'Timeline' },
] as const;
const ORDERS = [
  { value: '', title: 'Last stored', changes: { orderBy: undefined, order: undefined } },
  { value: 'createdAt asc', title: 'First stored', changes: { orderBy: 'createdAt', order: 'asc' } },
  { value: 'updatedAt desc', title: 'Last changed', changes: { orderBy: 'updatedAt', order: undefined } },
  { value: 'occurredAt desc', title: 'Last happened', changes: { orderBy: 'occurredAt', order: undefined } },
] as const;

/** Search, the filters on narrow screens, and the button that adds a memory. */
export function Toolbar({ state, onFilters }: { state: ListState; onFilters: () => void }) {
  const { query, asOfMs } = state;
  return (
    <>
      <div class="bar memories-bar">
        <SearchField query={query} />
        <button type="button" class="memories-filters" onClick={onFilters}>
          <Icon name="menu" size={16} /> <span>Filters</span>
        </button>
        {may('memory') && (
          <button
            type="button"
            class="primary memories-add"
            onClick={() => changeParameters({ add: '1', id: undefined, edit: undefined })}
          >
            <Icon name="plus" size={16} /> <span>Add</span>
          </button>
        )}
      </div>
      {asOfMs !== undefined && <AsOfSlider asOfMs={asOfMs} isSearch={query !== ''} />}
    </>
  );
}

/** Controls the layout, the order and the point in time of the list. */
export function ListOptions({ state }: { state: ListState }) {
  const { query, layout, orderBy, order, asOfMs } = state;
  const isListed = query === '' && asOfMs === undefined;
  const orderValue = orderBy === 'createdAt' && order === 'desc' ? '' : `${orderBy} ${order}`;
  return (
    <div class="bar memories-options">
      {query === '' && (
        <Tabs
          label="Layout"
          tabs={LAYOUTS}
          chosen={layout}
          onChoose={(name) =>
            changeParameters({ layout: name === 'list' ? undefined : name, orderBy: undefined, order: undefined })
          }
        />
      )}
      {isListed && layout === 'list' && (
        <label class="memories-order">
          <span class="unseen">Order</span>
          <select
            value={orderValue}
            onChange={(event) => {
              const chosen = ORDERS.find(({ value }) => value === event.currentTarget.value);
              changeParameters(chosen?.changes ?? {});
            }}
          >
            {ORDERS.map(({ value, title }) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        </label>
      )}
      <AsOfButton asOfMs={asOfMs} />
    </div>
  );
}

/** Searches while the user types, once they pause. */
function SearchField({ query }: { query: string }) {
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  // The address changes without the field when the user goes back. While the user types, it is behind the field.
  useEffect(() => {
    if (field.current && field.current !== document.activeElement) field.current.value = query;
  }, [query]);
  const search = () => {
    clearTimeout(timer.current);
    const text = field.current!.value.trim();
    // The first word of a search makes a new entry in the tab's history, the letters after it do not.
    if (text !== query) changeParameters({ q: text }, query === '' ? 'push' : 'replace');
  };
  return (
    <search class="memories-search">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          search();
        }}
      >
        <input
          ref={field}
          type="search"
          aria-label="Search memories"
          placeholder="Search memories by words or meaning"
          autocomplete="off"
          spellcheck={false}
          defaultValue={query}
          {...whileTyping(() => {
            clearTimeout(timer.current);
            timer.current = setTimeout(search, TYPING_PAUSE_MS);
          })}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.stopPropagation();
            event.preventDefault();
            field.current!.value = '';
            search();
            field.current!.blur();
          }}
        />
        <kbd>/</kbd>
      </form>
    </search>
  );
}
