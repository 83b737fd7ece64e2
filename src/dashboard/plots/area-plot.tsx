import { type Area, stackOf } from './stack.ts';
import { colorOf, type Scale, type Series, TimePlot, type TimePlotProps } from './time-plot.tsx';

interface Share extends Series {
  values: readonly number[];
}

const STEPS = [0, 0.25, 0.5, 0.75, 1];

/** Shares of a whole over time as areas on top of each other, the first at the bottom. */
export function AreaPlot({ series, ...plot }: TimePlotProps<Share>) {
  const areas = stackOf(series.map(({ values }) => values));
  return (
    <TimePlot {...plot} series={series} steps={STEPS}>
      {(x, y) =>
        series.map((one, at) => (
          <path key={one.name} class={`series series-area ${colorOf(one, at)}`} d={areaPath(areas[at]!, x, y)} />
        ))
      }
    </TimePlot>
  );
}

function areaPath(area: Area, x: Scale, y: Scale): string {
  // A single value fills the width.
  const bounds = area.length === 1 ? [area[0]!, area[0]!] : area;
  const pointAt = (at: number, value: number) => `${x(at).toFixed(1)},${y(Math.min(1, value)).toFixed(1)}`;
  const upper = bounds.map(([, high], at) => pointAt(at, high));
  const lower = bounds.map(([low], at) => pointAt(at, low)).reverse();
  return `M${[...upper, ...lower].join('L')}Z`;
}
