/** The visible part of the map: a point of the map is drawn at `x * scale + left`, `y * scale + top`. */
export interface Viewport {
  scale: number;
  left: number;
  top: number;
}

export interface Point {
  x: number;
  y: number;
}

export interface Size {
  width: number;
  height: number;
}

const MIN_SCALE = 0.15;
const MAX_SCALE = 8;
/** The largest scale that `fitted` chooses, in which dots keep their distance. */
const MAX_FITTED_SCALE = 2.5;
/** The part of the canvas at each edge where a point counts as out of view. */
const EDGE_SHARE = 0.15;

/** Shows all of these points with a margin, in pixels. */
export function fitted(points: readonly Point[], { width, height }: Size, margin = 40): Viewport {
  if (points.length === 0) return { scale: 1, left: width / 2, top: height / 2 };
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  const [minX, maxX, minY, maxY] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const room = (length: number) => Math.max(1, length - 2 * margin);
  const scale = within(Math.min(room(width) / Math.max(1, maxX - minX), room(height) / Math.max(1, maxY - minY)), [
    MIN_SCALE,
    MAX_FITTED_SCALE,
  ]);
  return { scale, left: width / 2 - ((minX + maxX) / 2) * scale, top: height / 2 - ((minY + maxY) / 2) * scale };
}

/** Zooms by a factor; the point at this position of the canvas stays where it is. */
export function zoomed(view: Viewport, factor: number, { x, y }: Point): Viewport {
  const scale = within(view.scale * factor, [MIN_SCALE, MAX_SCALE]);
  const change = scale / view.scale;
  return { scale, left: x - (x - view.left) * change, top: y - (y - view.top) * change };
}

/** Where a point of the map is drawn on the canvas. */
export function toCanvas({ scale, left, top }: Viewport, { x, y }: Point): Point {
  return { x: x * scale + left, y: y * scale + top };
}

/** The point of the map that is drawn at this position of the canvas. */
export function toMap({ scale, left, top }: Viewport, { x, y }: Point): Point {
  return { x: (x - left) / scale, y: (y - top) / scale };
}

/** Moves the view so that a point is in its middle, unless it is in view already. */
export function showing(view: Viewport, point: Point, { width, height }: Size): Viewport {
  const { x, y } = toCanvas(view, point);
  const isIn = (at: number, length: number) => at > length * EDGE_SHARE && at < length * (1 - EDGE_SHARE);
  if (isIn(x, width) && isIn(y, height)) return view;
  return { ...view, left: view.left + width / 2 - x, top: view.top + height / 2 - y };
}

function within(value: number, [min, max]: readonly [number, number]): number {
  return Math.max(min, Math.min(max, value));
}
