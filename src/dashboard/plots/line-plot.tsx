import { ticks } from './scale.ts';
import { colorOf, type Scale, type Series, TimePlot, type TimePlotProps } from './time-plot.tsx';

/** A line of a plot. */
interface Line extends Series {
  /** Lower and upper bound of each value, drawn as a band. */
  band?: readonly (readonly [low: number, high: number] | null)[];
}

interface LinePlotProps extends TimePlotProps<Line> {
  /** The values that the axis names, ascending; by default round ones from 0. */
  steps?: readonly number[];
}

/** Lines over time. */
export function LinePlot({ series, steps, ...plot }: LinePlotProps) {
  const values = series.flatMap((one) => [...one.values, ...(one.band ?? []).map((bounds) => bounds?.[1] ?? null)]);
  const most = Math.max(0, ...values.filter((value) => value !== null));
  return (
    <TimePlot {...plot} series={series} steps={steps ?? ticks(most)}>
      {(x, y) =>
        series.map((one, at) => (
          <g key={one.name} class={`series ${colorOf(one, at)}`}>
            {one.band && <path class="series-band" d={bandPath(one.band, x, y)} />}
            <path class="series-line" d={linePath(one.values, x, y)} />
            {dotsOf(one.values).map((dot) => (
              <circle key={dot} class="series-dot" cx={x(dot)} cy={y(one.values[dot]!)} r={2.5} />
            ))}
          </g>
        ))
      }
    </TimePlot>
  );
}

function linePath(values: Line['values'], x: Scale, y: Scale): string {
  return values
    .map((value, at) => {
      if (value === null) return '';
      return `${(values[at - 1] ?? null) === null ? 'M' : 'L'}${x(at).toFixed(1)},${y(value).toFixed(1)}`;
    })
    .join('');
}

function bandPath(band: NonNullable<Line['band']>, x: Scale, y: Scale): string {
  const known = band.flatMap((bounds, at) => (bounds ? [{ at, bounds }] : []));
  if (known.length < 2) return '';
  const upper = known.map(({ at, bounds }) => `${x(at).toFixed(1)},${y(bounds[1]).toFixed(1)}`);
  const lower = known.map(({ at, bounds }) => `${x(at).toFixed(1)},${y(bounds[0]).toFixed(1)}`).reverse();
  return `M${[...upper, ...lower].join('L')}Z`;
}

/** Values without a neighbor, which a line alone would not show. */
function dotsOf(values: Line['values']): number[] {
  return values.flatMap((value, at) => {
    const isAlone = (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null;
    return value !== null && isAlone ? [at] : [];
  });
}
