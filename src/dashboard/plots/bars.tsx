const HEIGHT = 48;
const STEP = 10;

interface BarsProps {
  /** What assistive technology gets instead of the bars. */
  description: string;
  /** `title` is shown while the pointer is over the bar. */
  bars: readonly { key: string | number; value: number; title: string }[];
}

/** Bars of the same width over time. */
export function Bars({ description, bars }: BarsProps) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <svg
      class="day-bars"
      viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={description}
    >
      {bars.map(({ key, value, title }, index) => {
        const height = value === 0 ? 1 : Math.max(2, (value / most) * HEIGHT);
        return (
          <rect
            key={key}
            class={value === 0 ? 'is-none' : undefined}
            x={index * STEP + 1}
            width={STEP - 2}
            y={HEIGHT - height}
            height={height}
          >
            <title>{title}</title>
          </rect>
        );
      })}
    </svg>
  );
}
