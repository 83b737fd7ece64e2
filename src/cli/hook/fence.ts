const OPENING = '<private>';
const CLOSING = '</private>';

/** Removes `<private>…</private>`. Without a closing tag, everything after the opening one is private. */
export function withoutPrivate(text: string): string {
  // Lower case may have another length, which would shift positions.
  const lower = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  let kept = '';
  let from = 0;
  for (;;) {
    const start = lower.indexOf(OPENING, from);
    if (start === -1) return kept + text.slice(from);
    kept += text.slice(from, start);
    const end = lower.indexOf(CLOSING, start);
    if (end === -1) return kept;
    from = end + CLOSING.length;
  }
}
