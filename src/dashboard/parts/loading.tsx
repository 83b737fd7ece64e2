/** A placeholder in the shape of rows while something loads. */
export function Loading({ label = 'Loading', rows = 6 }: { label?: string; rows?: number }) {
  return (
    <div class="loading" role="status">
      <span class="unseen">{label}…</span>
      {Array.from({ length: rows }, (_, index) => (
        <span key={index} class="loading-row" aria-hidden="true" />
      ))}
    </div>
  );
}
