import { COLORED_GROUPS, groupBy, type LinkKind } from './map-graph.ts';
import type { MapLayout, MapNode, NodeLink } from './map-layout.ts';
import { type Size, toCanvas, type Viewport } from './viewport.ts';

/** Colors of the map in the theme of the page. */
export interface MapColors {
  ground: string;
  ink: string;
  soft: string;
  line: string;
  accent: string;
  /** Colors of the largest groups; the others are `soft`. */
  groups: readonly string[];
}

/** The scene that the canvas draws. */
export interface Scene {
  layout: MapLayout;
  groupNames: readonly string[];
  view: Viewport;
  size: Size;
  /** Pixels of the screen per CSS pixel. */
  density: number;
  selected: string | undefined;
  hovered: string | undefined;
  /** The memories that stand out; all of them if undefined. */
  bright: ReadonlySet<string> | undefined;
  /** Memories that are similar to the selected one. */
  similar: readonly string[];
}

const RADIUS = 4;
const DIM = 0.28;
/** From this scale on, texts are drawn beside the dots. */
const TEXT_SCALE = 3;
const MAX_TEXTS = 60;
const TEXT_LENGTH = 40;

/** Reads the colors of the theme from the page. */
export function colorsOf(element: Element): MapColors {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    ground: color('surface'),
    ink: color('ink'),
    soft: color('line-strong'),
    line: color('line-strong'),
    accent: color('accent'),
    groups: Array.from({ length: COLORED_GROUPS }, (_, index) => color(`plot-${index + 1}`)),
  };
}

/** The radius of a node, in pixels of the canvas. */
export function radiusOf(node: MapNode, { scale }: Viewport): number {
  const radius = node.memory.pinned ? RADIUS * 1.5 : RADIUS;
  return radius * Math.max(0.6, Math.min(2, Math.sqrt(scale)));
}

/** Draws the map. */
export function drawMap(context: CanvasRenderingContext2D, scene: Scene, colors: MapColors): void {
  const { size, density, layout, view } = scene;
  context.setTransform(density, 0, 0, density, 0, 0);
  context.clearRect(0, 0, size.width, size.height);
  drawLinks(context, scene, colors);
  const isBright = (node: MapNode) => scene.bright?.has(node.memory.id) ?? true;
  for (const bright of [false, true]) {
    context.globalAlpha = bright ? 1 : DIM;
    const nodes = layout.nodes.filter((node) => isBright(node) === bright);
    for (const [group, members] of groupBy(nodes, (node) => Math.min(node.group, layout.coloredGroups))) {
      drawNodes(
        context,
        members,
        view,
        group < layout.coloredGroups ? colors.groups[group]! : colors.soft,
        colors.ground,
      );
    }
  }
  context.globalAlpha = 1;
  for (const id of [scene.hovered, scene.selected]) {
    const node = id === undefined ? undefined : layout.byId.get(id);
    if (node) drawRing(context, node, view, id === scene.selected ? colors.accent : colors.ink);
  }
  drawNames(context, scene, colors);
  if (view.scale >= TEXT_SCALE) drawTexts(context, scene, colors);
}

const DASHES: Record<LinkKind | 'similar', number[]> = { supersedes: [], source: [], episode: [2, 3], similar: [5, 4] };

function drawLinks(context: CanvasRenderingContext2D, scene: Scene, colors: MapColors): void {
  const { layout, view, selected, bright } = scene;
  const isBright = ({ source, target }: NodeLink) =>
    bright === undefined || (bright.has(source.memory.id) && bright.has(target.memory.id));
  for (const kind of ['source', 'episode', 'supersedes'] as const) {
    for (const isShown of [false, true]) {
      context.beginPath();
      for (const link of layout.links) {
        if (link.kind !== kind || isBright(link) !== isShown) continue;
        const [from, to] = [toCanvas(view, link.source), toCanvas(view, link.target)];
        context.moveTo(from.x, from.y);
        context.lineTo(to.x, to.y);
        if (kind === 'supersedes') arrowTo(context, from, to, radiusOf(link.target, view));
      }
      context.globalAlpha = isShown ? 0.8 : DIM;
      context.setLineDash(DASHES[kind]);
      context.lineWidth = kind === 'supersedes' ? 1.5 : 1;
      context.strokeStyle = kind === 'supersedes' ? colors.ink : colors.line;
      context.stroke();
    }
  }
  const center = selected === undefined ? undefined : layout.byId.get(selected);
  if (!center) return;
  const from = toCanvas(view, center);
  context.beginPath();
  for (const id of scene.similar) {
    const node = layout.byId.get(id);
    if (!node) continue;
    const to = toCanvas(view, node);
    context.moveTo(from.x, from.y);
    context.lineTo(to.x, to.y);
  }
  context.globalAlpha = 0.9;
  context.setLineDash(DASHES.similar);
  context.lineWidth = 1.25;
  context.strokeStyle = colors.accent;
  context.stroke();
  context.setLineDash([]);
}

function arrowTo(
  context: CanvasRenderingContext2D,
  from: { x: number; y: number },
  to: { x: number; y: number },
  radius: number,
): void {
  const angle = Math.atan2(to.y - from.y, to.x - from.x);
  const tip = { x: to.x - Math.cos(angle) * radius, y: to.y - Math.sin(angle) * radius };
  for (const turn of [-0.45, 0.45]) {
    context.moveTo(tip.x, tip.y);
    context.lineTo(tip.x - Math.cos(angle + turn) * 6, tip.y - Math.sin(angle + turn) * 6);
  }
}

/** Dots of one color; superseded memories are rings. */
function drawNodes(
  context: CanvasRenderingContext2D,
  nodes: readonly MapNode[],
  view: Viewport,
  color: string,
  ground: string,
): void {
  for (const isPast of [true, false]) {
    context.beginPath();
    for (const node of nodes) {
      if ((node.memory.validTo !== null) !== isPast) continue;
      const { x, y } = toCanvas(view, node);
      const radius = radiusOf(node, view);
      context.moveTo(x + radius, y);
      context.arc(x, y, radius, 0, 2 * Math.PI);
    }
    context.fillStyle = isPast ? ground : color;
    context.fill();
    if (!isPast) continue;
    context.lineWidth = 1.5;
    context.strokeStyle = color;
    context.stroke();
  }
}

function drawRing(context: CanvasRenderingContext2D, node: MapNode, view: Viewport, color: string): void {
  const { x, y } = toCanvas(view, node);
  context.beginPath();
  context.arc(x, y, radiusOf(node, view) + 4, 0, 2 * Math.PI);
  context.lineWidth = 2.5;
  context.strokeStyle = color;
  context.stroke();
}

/** Writes the name of each group above it, unless another name is in the way. */
function drawNames(context: CanvasRenderingContext2D, scene: Scene, colors: MapColors): void {
  const { layout, view, groupNames } = scene;
  context.font = '600 13px system-ui, sans-serif';
  context.textAlign = 'center';
  const taken: { left: number; right: number; y: number }[] = [];
  for (const [index, { x, y, radius }] of layout.circles.entries()) {
    const name = shortened(groupNames[index]!, 28);
    const at = toCanvas(view, { x, y: y - radius });
    const half = context.measureText(name).width / 2;
    const box = { left: at.x - half - 4, right: at.x + half + 4, y: at.y - 6 };
    if (taken.some((other) => Math.abs(other.y - box.y) < 16 && other.left < box.right && box.left < other.right))
      continue;
    taken.push(box);
    writeText(context, name, at.x, box.y, colors);
  }
}

function drawTexts(context: CanvasRenderingContext2D, scene: Scene, colors: MapColors): void {
  const { layout, view, size, bright } = scene;
  context.font = '12px system-ui, sans-serif';
  context.textAlign = 'left';
  let written = 0;
  for (const node of layout.nodes) {
    if (bright && !bright.has(node.memory.id)) continue;
    const { x, y } = toCanvas(view, node);
    if (x < 0 || y < 0 || x > size.width || y > size.height) continue;
    writeText(context, shortened(node.memory.content, TEXT_LENGTH), x + radiusOf(node, view) + 5, y + 4, colors);
    written += 1;
    if (written === MAX_TEXTS) return;
  }
}

function writeText(context: CanvasRenderingContext2D, text: string, x: number, y: number, colors: MapColors): void {
  context.lineJoin = 'round';
  context.lineWidth = 4;
  context.strokeStyle = colors.ground;
  context.strokeText(text, x, y);
  context.fillStyle = colors.ink;
  context.fillText(text, x, y);
}

function shortened(text: string, length: number): string {
  const line = text.slice(0, length + 1).replace(/\s+/g, ' ');
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
