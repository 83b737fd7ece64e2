import { linear } from './scale.ts';

const WIDTH = 120;
const HEIGHT = 32;

/** A small line without axes. The text beside it says what it shows, so it is hidden from assistive technology. */
export function Sparkline({ values }: { values: readonly number[] }) {
  if (values.length < 2) return null;
  const x = linear([0, values.length - 1], [1, WIDTH - 1]);
  const y = linear([0, Math.max(1, ...values)], [HEIGHT - 2, 2]);
  const points = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`);
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <path class="sparkline-area" d={`M1,${HEIGHT} L${points.join(' L')} L${WIDTH - 1},${HEIGHT} Z`} />
      <polyline class="sparkline-line" points={points.join(' ')} />
    </svg>
  );
}
