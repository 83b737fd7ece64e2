import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { linear } from './scale.ts';

/** A series over time: one value per label; null where there is none. */
export interface Series {
  name: string;
  values: readonly (number | null)[];
  /** The class that sets its color, `--series`; by default that of its place among the series. */
  class?: string;
}

/** Maps values to positions. */
export type Scale = (value: number) => number;

export interface TimePlotProps<One extends Series = Series> {
  label: string;
  /** The label of each position, such as a day. */
  labels: readonly string[];
  series: readonly One[];
  format(value: number): string;
}

interface FrameProps extends TimePlotProps {
  /** The values that the axis names, ascending from 0. */
  steps: readonly number[];
  /** Draws the series. */
  children(x: Scale, y: Scale): ComponentChildren;
}

const HEIGHT = 200;
const MARGIN = { left: 52, right: 12, top: 10, bottom: 24 };

/** A plot over time with axes. The pointer and the arrow keys read values; a table has the same figures. */
export function TimePlot({ label, labels, series, format, steps, children }: FrameProps) {
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
    <figure class="time-plot">
      <div class="time-plot-legend">
        {series.map((one, at) => (
          <span key={one.name} class={`time-plot-key ${colorOf(one, at)}`}>
            {one.name}
            {index !== undefined && <strong> {describe(one.values[index], format)}</strong>}
          </span>
        ))}
        <span class="hint" aria-live="polite">
          {index === undefined ? '' : labels[index]}
        </span>
      </div>
      <div
        ref={box}
        class="time-plot-box"
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
          {children(x, y)}
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

/** The class that sets the color of a series. */
export function colorOf(series: Series, index: number): string {
  return series.class ?? `is-${index + 1}`;
}

function FigureTable({ labels, series, format }: Pick<TimePlotProps, 'labels' | 'series' | 'format'>) {
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
