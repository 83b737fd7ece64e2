/** Lines of a terminal, with their SGR escape sequences (ECMA-48), drawn as a window in SVG. */

const CELL_WIDTH = 8.43;
const LINE_HEIGHT = 19;
const PADDING = 18;
const TITLE_HEIGHT = 34;
const FOREGROUND = '#d7dae0';
const BACKGROUND = '#16181d';
const COLORS = ['#5c6370', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#d7dae0'];

interface Style {
  color: string | undefined;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
}

interface Run {
  text: string;
  column: number;
  style: Style;
}

const PLAIN: Style = { color: undefined, bold: false, dim: false, italic: false, underline: false };

export function terminalSvg(lines: readonly string[], columns: number, title: string): string {
  const width = Math.round(columns * CELL_WIDTH + 2 * PADDING);
  const height = TITLE_HEIGHT + lines.length * LINE_HEIGHT + PADDING;
  let style = PLAIN;
  const texts = lines.map((line, row) => {
    const read = runsOf(line, style);
    style = read.style;
    const y = TITLE_HEIGHT + (row + 1) * LINE_HEIGHT - 5;
    return read.runs.map((run) => textElement(run, y)).join('');
  });
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map((fill, index) => {
    return `<circle cx="${20 + index * 20}" cy="17" r="6" fill="${fill}"/>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="10" fill="${BACKGROUND}"/>`,
    ...dots,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="${FOREGROUND}">`,
    ...texts.filter((text) => text !== ''),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function runsOf(line: string, before: Style): { runs: Run[]; style: Style } {
  const runs: Run[] = [];
  let style = before;
  let column = 0;
  for (const [, codes, text] of line.matchAll(/\x1b\[([\d;]*)m|([^\x1b]+)/g)) {
    if (codes !== undefined) style = applied(style, codes === '' ? [0] : codes.split(';').map(Number));
    else if (text !== undefined) {
      if (text.trim() !== '') runs.push({ text, column, style });
      column += Array.from(text).length;
    }
  }
  return { runs, style };
}

function applied(style: Style, codes: readonly number[]): Style {
  const next = { ...style };
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index]!;
    if (code === 0) Object.assign(next, PLAIN);
    else if (code === 1) next.bold = true;
    else if (code === 2) next.dim = true;
    else if (code === 3) next.italic = true;
    else if (code === 4) next.underline = true;
    else if (code === 22) next.bold = next.dim = false;
    else if (code === 23) next.italic = false;
    else if (code === 24) next.underline = false;
    else if (code === 39) next.color = undefined;
    else if (code >= 30 && code <= 37) next.color = COLORS[code - 30];
    else if (code >= 90 && code <= 97) next.color = COLORS[code - 90];
    else if (code === 38) index += codes[index + 1] === 5 ? 2 : 4;
  }
  return next;
}

function textElement({ text, column, style }: Run, y: number): string {
  const attributes = [
    `x="${(PADDING + column * CELL_WIDTH).toFixed(1)}"`,
    `y="${y}"`,
    `textLength="${(Array.from(text).length * CELL_WIDTH).toFixed(1)}"`,
    'xml:space="preserve"',
    ...(style.color ? [`fill="${style.color}"`] : []),
    ...(style.bold ? ['font-weight="bold"'] : []),
    ...(style.dim ? ['opacity="0.6"'] : []),
    ...(style.italic ? ['font-style="italic"'] : []),
    ...(style.underline ? ['text-decoration="underline"'] : []),
  ];
  return `<text ${attributes.join(' ')}>${escaped(text)}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
