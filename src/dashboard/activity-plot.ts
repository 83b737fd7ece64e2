import type { Usage } from './api.ts';
import { element } from './dom.ts';
import { formatDay, formatNumber } from './format.ts';

type Series = 'requests' | 'memories' | 'queries';
const SERIES: [Series, string][] = [
  ['requests', 'Requests'],
  ['memories', 'Memories added'],
  ['queries', 'Searches'],
];
const HEIGHT = 40;
const STEP = 10;
const SVG = 'http://www.w3.org/2000/svg';

function svg(tag: string, attributes: Record<string, string | number>): SVGElement {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  return node;
}

function bars(days: Usage['days'], series: Series, label: string): SVGElement {
  const most = Math.max(1, ...days.map((day) => day[series]));
  const plot = svg('svg', {
    viewBox: `0 0 ${days.length * STEP} ${HEIGHT}`,
    preserveAspectRatio: 'none',
    role: 'img',
    'aria-label': label,
    class: 'bars',
  });
  for (const [index, day] of days.entries()) {
    const height = day[series] === 0 ? 1 : Math.max(2, (day[series] / most) * HEIGHT);
    const bar = svg('rect', { x: index * STEP + 1, width: STEP - 2, y: HEIGHT - height, height });
    if (day[series] === 0) bar.setAttribute('class', 'none');
    const title = svg('title', {});
    title.textContent = `${formatDay(day.day)}: ${formatNumber(day[series])}`;
    bar.append(title);
    plot.append(bar);
  }
  return plot;
}

/** Renders three small bar charts over the same days. Screen readers get the total and the busiest day of each. */
export function activityPlots({ days }: Usage): HTMLElement[] {
  if (!days.some((day) => SERIES.some(([series]) => day[series] > 0)))
    return [element('p', { class: 'hint' }, 'No activity yet.')];
  const plots = SERIES.map(([series, name]) => {
    const total = days.reduce((sum, day) => sum + day[series], 0);
    const busiest = days.reduce((best, day) => (day[series] > best[series] ? day : best));
    const most = total === 0 ? '' : `, busiest on ${formatDay(busiest.day)} with ${formatNumber(busiest[series])}`;
    const caption = element('figcaption', {}, [
      element('span', {}, name),
      element('span', { class: 'figure' }, formatNumber(total)),
    ]);
    const figure = element('figure', { class: 'plot' }, caption);
    figure.append(bars(days, series, `${name} per day: ${formatNumber(total)} in total${most}`));
    return figure;
  });
  const first = days[0]?.day ?? '';
  const last = days.at(-1)?.day ?? '';
  const axis = element('p', { class: 'axis' }, [
    element('span', {}, formatDay(first)),
    element('span', {}, formatDay(last)),
  ]);
  return [...plots, axis];
}
