/** Texts longer than this are counted, but not shown. */
const MAX_ITEM_CHARACTERS = 500_000;

/** Splits a file into items, piece by piece, without holding more than the current one. */
export interface ItemSplitter {
  write(text: string): void;
  end(): void;
}

/** Receives each item: its text, or undefined if it is too long or `isWanted` was false when it began. */
type OnItem = (text: string | undefined) => void;

/** Splits lines; blank ones are left out. */
export function lineSplitter(onItem: OnItem): ItemSplitter {
  let rest = '';
  let isTooLong = false;
  const finish = (line: string) => {
    if (isTooLong) onItem(undefined);
    else if (/\S/.test(line)) onItem(line.trim());
    isTooLong = false;
  };
  return {
    write(text) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) finish(line);
      if (rest.length <= MAX_ITEM_CHARACTERS) return;
      isTooLong = true;
      rest = '';
    },
    end: () => finish(rest),
  };
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPENING = new Set([91, 123]);
const CLOSING = new Set([93, 125]);

/**
 * Splits a JSON document: the objects of a list, or those of the lists `lists` of an object. `isWanted` says whether the
 * text of the next item is needed.
 */
export function documentSplitter(lists: readonly string[], isWanted: () => boolean, onItem: OnItem): ItemSplitter {
  let depth = 0;
  let itemDepth = 0;
  let isInText = false;
  let isEscaped = false;
  let key = '';
  let item: string[] | undefined;
  let itemLength = 0;
  let isInItem = false;

  function open(code: number): void {
    if (depth === 0) itemDepth = code === 91 ? 1 : 2;
    const isListed = itemDepth === 1 || lists.includes(key);
    if (depth === itemDepth && isListed && !isInItem && code === 123) {
      isInItem = true;
      item = isWanted() ? [] : undefined;
      itemLength = 0;
    }
    depth++;
  }

  function close(piece: string): void {
    depth--;
    if (!isInItem || depth !== itemDepth) return;
    isInItem = false;
    item?.push(piece);
    onItem(item?.join(''));
    item = undefined;
  }

  return {
    write(text) {
      let from = 0;
      for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at);
        if (isInText) {
          if (isEscaped) isEscaped = false;
          else if (code === BACKSLASH) isEscaped = true;
          else if (code === QUOTE) isInText = false;
          else if (depth === 1 && key.length < 64) key += text[at];
        } else if (code === QUOTE) {
          isInText = true;
          if (depth === 1) key = '';
        } else if (OPENING.has(code)) {
          const wasInItem = isInItem;
          open(code);
          if (isInItem && !wasInItem) from = at;
        } else if (CLOSING.has(code)) close(isInItem ? text.slice(from, at + 1) : '');
      }
      if (!isInItem || !item) return;
      item.push(text.slice(from));
      itemLength += text.length - from;
      if (itemLength > MAX_ITEM_CHARACTERS) item = undefined;
    },
    end: () => undefined,
  };
}
