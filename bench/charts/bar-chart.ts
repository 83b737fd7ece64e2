export interface Bar {
  label: string;
  /** 0 or more. */
  value: number;
  /** The value, formatted for the label beside the bar. */
  text: string;
  /** Drawn in the accent color. */
  isOwn: boolean;
}

/** A bar chart and the name of its file. */
export interface BarChart {
  name: string;
  title: string;
  subtitle: string;
  bars: readonly Bar[];
}

const WIDTH = 760;
const PADDING = 24;
const TOP = 84;
const ROW = 34;
const BAR_HEIGHT = 18;
/** Average width of a bold character of the wider sans-serif fonts at 14 px. */
const CHARACTER = 8.4;
const GAP = 10;

/** The picture brings its own background, so that its text has contrast on pages of either theme. */
const STYLE = `.card{fill:#ffffff;stroke:#d0d7de}
text{font:14px system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue','DejaVu Sans',sans-serif;fill:#1f2328}
.title{font-size:17px;font-weight:600}
.quiet{fill:#59636e}
.own{font-weight:600}
.bar{fill:#8c959f}
.bar.own{fill:#0b7a75}
.axis{stroke:#d0d7de}
@media (prefers-color-scheme:dark){
.card{fill:#16181d;stroke:#3d444d}
text{fill:#e6e8eb}
.quiet{fill:#9aa4af}
.bar{fill:#656d76}
.bar.own{fill:#2fb5ac}
.axis{stroke:#3d444d}
}`;

/** Draws horizontal bars on a linear scale from zero as SVG, with their values as text for those who cannot see them. */
export function barChart({ title, subtitle, bars }: BarChart): string {
  const height = TOP + bars.length * ROW + PADDING - (ROW - BAR_HEIGHT) / 2;
  const left = PADDING + widest(bars.map(({ label }) => label)) + GAP;
  const longest = WIDTH - PADDING - left - GAP;
  const unit = lengthPerValue(bars, longest);
  const description = bars.map(({ label, text }) => `${label}: ${text}`).join('; ');
  const rows = bars.map(({ label, value, text, isOwn }, index) => {
    const y = TOP + index * ROW;
    const middle = y + BAR_HEIGHT / 2 + 5;
    const length = value * unit;
    const own = isOwn ? ' own' : '';
    return [
      `<text class="label${own}" x="${left - GAP}" y="${middle}" text-anchor="end">${escaped(label)}</text>`,
      `<path class="bar${own}" d="${barPath(left, y, length)}"/>`,
      `<text class="value${own}" x="${rounded(left + length + GAP)}" y="${middle}">${escaped(text)}</text>`,
    ].join('\n');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title description">`,
    `<title id="title">${escaped(`${title}, ${subtitle}`)}</title>`,
    `<desc id="description">${escaped(description)}</desc>`,
    `<style>\n${STYLE}\n</style>`,
    `<rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="10"/>`,
    `<text class="title" x="${PADDING}" y="36">${escaped(title)}</text>`,
    `<text class="quiet" x="${PADDING}" y="58">${escaped(subtitle)}</text>`,
    `<path class="axis" d="M${left - 0.5} ${TOP - 6}V${height - PADDING + 6}"/>`,
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

/** The scale at which every bar fits with the text behind it. */
function lengthPerValue(bars: readonly Bar[], longest: number): number {
  const scales = bars
    .filter(({ value }) => value > 0)
    .map(({ value, text }) => (longest - GAP - text.length * CHARACTER) / value);
  return Math.max(0, Math.min(...scales, Number.MAX_VALUE));
}

function widest(labels: readonly string[]): number {
  return Math.ceil(Math.max(0, ...labels.map((label) => label.length)) * CHARACTER);
}

/** Square at the axis, rounded at the end. */
function barPath(x: number, y: number, length: number): string {
  const radius = Math.min(4, length / 2);
  const straight = rounded(length - radius);
  return `M${x} ${y}h${straight}q${radius} 0 ${radius} ${radius}v${BAR_HEIGHT - 2 * radius}q0 ${radius} ${-radius} ${radius}h${-straight}z`;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
