interface MeterProps {
  label: string;
  used: number;
  /** Null: unlimited. */
  limit: number | null;
  format(value: number): string;
  note?: string;
}

/** How much of a limit is used. */
export function Meter({ label, used, limit, format, note }: MeterProps) {
  const share = limit === null || limit === 0 ? 0 : Math.min(1, used / limit);
  const text = limit === null ? `${format(used)}, no limit` : `${format(used)} of ${format(limit)}`;
  return (
    <div class="meter">
      <div class="meter-line">
        <span>{label}</span>
        <span class="numeric">{text}</span>
      </div>
      {limit !== null && (
        <div
          class={`meter-track${share >= 0.9 ? ' is-high' : ''}`}
          role="meter"
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuenow={Math.min(used, limit)}
          aria-valuetext={text}
        >
          <span style={{ inlineSize: `${share * 100}%` }} />
        </div>
      )}
      {note && <span class="hint">{note}</span>}
    </div>
  );
}
