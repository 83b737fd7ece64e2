import { useEffect, useRef } from 'preact/hooks';
import { changeParameters } from '../router.ts';
import { whileTyping } from './typing.ts';

interface SearchFieldProps {
  label: string;
  /** The `q` of the address. */
  query: string;
  /** How long the user pauses before the address changes, in milliseconds. */
  pauseMs: number;
}

/** A field that holds the `q` of the address. */
export function SearchField({ label, query, pauseMs }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  // The address changes without the field when the user goes back. While the user types, it is behind the field.
  useEffect(() => {
    if (field.current && field.current !== document.activeElement) field.current.value = query;
  }, [query]);
  return (
    <search class="search-field">
      <input
        ref={field}
        type="search"
        aria-label={label}
        placeholder={label}
        autocomplete="off"
        spellcheck={false}
        defaultValue={query}
        {...whileTyping((text) => {
          clearTimeout(timer.current);
          timer.current = setTimeout(() => {
            // The first word makes a new entry in the tab's history, the letters after it do not.
            changeParameters({ q: text.trim() }, query === '' ? 'push' : 'replace');
          }, pauseMs);
        })}
      />
      <kbd>/</kbd>
    </search>
  );
}
