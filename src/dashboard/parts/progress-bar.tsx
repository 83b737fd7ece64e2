/** Shows progress; without a total, only that work is running. */
export function ProgressBar({ label, done, total }: { label: string; done: number; total?: number | undefined }) {
  if (total === undefined || total === 0) {
    return (
      <div class="meter-track is-endless" role="progressbar" aria-label={label}>
        <span />
      </div>
    );
  }
  return (
    <div
      class="meter-track"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={Math.min(done, total)}
    >
      <span style={{ inlineSize: `${Math.min(1, done / total) * 100}%` }} />
    </div>
  );
}
