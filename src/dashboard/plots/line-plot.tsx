import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { linear, ticks } from './scale.ts';

/** A line of a plot: one value per label; null where there is none. */
export interface Series {
  name: string;
  values: readonly (number | null)[];
  /** Lower and upper bound of each value, drawn as a band. */
  band?: readonly (readonly [low: number, high: number] | null)[];
}

interface LinePlotProps {
  label: string;
  /** What each position stands for, such as a day. */
  labels: readonly string[];
  series: readonly Series[];
  format(value: number): string;
  /** The largest value of the axis; by default that of the series. */
  max?: number;
  /** The values that the axis names, ascending; by default round ones from 0. */
  steps?: readonly number[];
}

const HEIGHT = 200;
const MARGIN = { left: 52, right: 12, top: 10, bottom: 24 };

/** Lines over time with axes. The pointer and the arrow keys read values; a table has the same figures. */
export function LinePlot({ label, labels, series, format, ...axis }: LinePlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useSignal(640);
  const read = useSignal<number | undefined>(undefined);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      width.value = Math.max(240, Math.round(entry!.contentRect.width));
    });
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  const values = series.flatMap((one) => [...one.values, ...(one.band ?? []).map((bounds) => bounds?.[1] ?? null)]);
  const steps = axis.steps ?? ticks(axis.max ?? Math.max(0, ...values.filter((value) => value !== null)));
  const x = linear([0, Math.max(1, labels.length - 1)], [MARGIN.left, width.value - MARGIN.right]);
  const y = linear([0, steps.at(-1)!], [HEIGHT - MARGIN.bottom, MARGIN.top]);
  const index = read.value;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    read.value = Math.max(0, Math.min(labels.length - 1, (index ?? labels.length) + step));
  };
  const onPointerMove = (event: PointerEvent) => {
    const left = box.current!.getBoundingClientRect().left;
    const at = linear(
      [x(0), x(Math.max(1, labels.length - 1))],
      [0, Math.max(1, labels.length - 1)],
    )(event.clientX - left);
    read.value = Math.max(0, Math.min(labels.length - 1, Math.round(at)));
  };
  return (
    <figure class="line-plot">
      <div class="line-plot-legend">
        {series.map(({ name }, at) => (
          <span key={name} class={`line-plot-key is-${at + 1}`}>
            {name}
            {index !== undefined && <strong> {describe(series[at]!.values[index], format)}</strong>}
          </span>
        ))}
        <span class="hint" aria-live="polite">
          {index === undefined ? '' : labels[index]}
        </span>
      </div>
      <div
        ref={box}
        class="line-plot-box"
        role="group"
        aria-label={`${label}. Use the arrow keys to read values.`}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerMove={onPointerMove}
        onPointerLeave={() => (read.value = undefined)}
        onBlur={() => (read.value = undefined)}
      >
        <svg width={width.value} height={HEIGHT} aria-hidden="true">
          {steps.map((step) => (
            <g key={step}>
              <line class="grid-line" x1={MARGIN.left} x2={width.value - MARGIN.right} y1={y(step)} y2={y(step)} />
              <text class="axis" x={MARGIN.left - 8} y={y(step) + 4} text-anchor="end">
                {format(step)}
              </text>
            </g>
          ))}
          {labelPositions(labels.length, width.value).map((at) => (
            <text key={at} class="axis" x={x(at)} y={HEIGHT - 6} text-anchor={anchorAt(at, labels.length)}>
              {labels[at]}
            </text>
          ))}
          {series.map(({ name, values: line, band }, at) => (
            <g key={name} class={`series is-${at + 1}`}>
              {band && <path class="series-band" d={bandPath(band, x, y)} />}
              <path class="series-line" d={linePath(line, x, y)} />
              {dotsOf(line).map((one) => (
                <circle key={one} class="series-dot" cx={x(one)} cy={y(line[one]!)} r={2.5} />
              ))}
            </g>
          ))}
          {index !== undefined && (
            <line class="read-line" x1={x(index)} x2={x(index)} y1={MARGIN.top} y2={HEIGHT - MARGIN.bottom} />
          )}
        </svg>
      </div>
      <details class="hint">
        <summary>Show as a table</summary>
        <FigureTable labels={labels} series={series} format={format} />
      </details>
    </figure>
  );
}

function FigureTable({ labels, series, format }: Pick<LinePlotProps, 'labels' | 'series' | 'format'>) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Time</th>
          {series.map(({ name }) => (
            <th key={name} scope="col" class="numeric">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {labels.map((one, at) => (
          <tr key={one}>
            <th scope="row">{one}</th>
            {series.map(({ name, values }) => (
              <td key={name} class="numeric">
                {describe(values[at], format)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function describe(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value);
}

type Scale = (value: number) => number;

function linePath(values: Series['values'], x: Scale, y: Scale): string {
  return values
    .map((value, at) => {
      if (value === null) return '';
      return `${(values[at - 1] ?? null) === null ? 'M' : 'L'}${x(at).toFixed(1)},${y(value).toFixed(1)}`;
    })
    .join('');
}

function bandPath(band: NonNullable<Series['band']>, x: Scale, y: Scale): string {
  const known = band.flatMap((bounds, at) => (bounds ? [{ at, bounds }] : []));
  if (known.length < 2) return '';
  const upper = known.map(({ at, bounds }) => `${x(at).toFixed(1)},${y(bounds[1]).toFixed(1)}`);
  const lower = known.map(({ at, bounds }) => `${x(at).toFixed(1)},${y(bounds[0]).toFixed(1)}`).reverse();
  return `M${[...upper, ...lower].join('L')}Z`;
}

/** Values without a neighbor, which a line alone would not show. */
function dotsOf(values: Series['values']): number[] {
  return values.flatMap((value, at) => {
    const isAlone = (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null;
    return value !== null && isAlone ? [at] : [];
  });
}

const LABEL_WIDTH = 130;

function labelPositions(count: number, width: number): number[] {
  const room = Math.max(1, Math.floor(width / LABEL_WIDTH));
  const step = Math.max(1, Math.ceil(count / room));
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => count - 1 - index * step).filter(
    (at) => at >= 0,
  );
}

function anchorAt(at: number, count: number): 'start' | 'middle' | 'end' {
  if (at === 0) return 'start';
  return at === count - 1 ? 'end' : 'middle';
}
