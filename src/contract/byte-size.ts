const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Parses `512`, `64KiB`, `1 GiB` to bytes; `undefined` for anything else. */
export function parseSize(text: string): number | undefined {
  const [, digits, unit = 'B'] = /^(\d{1,16}) ?(B|[KMGT]iB)?$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const bytes = Number(digits) * 1024 ** UNITS.indexOf(unit);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** Formats bytes with three significant digits: `1.5 GiB`, `12 MiB`, `987 B`. Rounds down, so that a limit is never exceeded in print. */
export function formatSize(bytes: number): string {
  const exponent = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** exponent;
  const scale = value < 10 ? 100 : value < 100 ? 10 : 1;
  return `${Math.floor(value * scale) / scale} ${UNITS[exponent]}`;
}

/** Formats bytes exactly, as `parseSize` reads them: `1GiB`, `1500`. */
export function formatExactSize(bytes: number): string {
  const exponent = UNITS.findLastIndex((_, index) => bytes > 0 && bytes % 1024 ** index === 0);
  return exponent > 0 ? `${bytes / 1024 ** exponent}${UNITS[exponent]}` : String(bytes);
}
