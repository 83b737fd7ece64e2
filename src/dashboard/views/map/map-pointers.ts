import type { MapNode } from './map-layout.ts';
import { type Point, toMap, type Viewport, zoomed } from './viewport.ts';

/** The view and callbacks that pointers act on. */
interface PointerTarget {
  view(): Viewport;
  setView(view: Viewport): void;
  /** The node drawn at a position of the canvas. */
  nodeAt(position: Point): MapNode | undefined;
  onHover(node: MapNode | undefined): void;
  onSelect(node: MapNode | undefined): void;
  onDrag(node: MapNode, to: Point): void;
  onRelease(node: MapNode): void;
}

/** A pointer that moved less than this, in pixels, clicked. */
const CLICK_DISTANCE = 4;
const WHEEL_SPEED = 0.0015;
/** Pixels of a line, for wheels that scroll by lines. */
const LINE_HEIGHT = 16;

/** Lets the mouse and fingers pan, zoom, drag nodes and select them. Returns a function that stops it. */
export function followPointers(canvas: HTMLCanvasElement, target: PointerTarget): () => void {
  const held = new Map<number, Point>();
  let grabbed: MapNode | undefined;
  let start: Point | undefined;
  let hasMoved = false;
  const positionOf = ({ clientX, clientY }: MouseEvent): Point => {
    const { left, top } = canvas.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };

  const onDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    const position = positionOf(event);
    held.set(event.pointerId, position);
    if (held.size > 1) {
      // A second finger zooms.
      hasMoved = true;
      releaseNode();
      return;
    }
    start = position;
    hasMoved = false;
    grabbed = target.nodeAt(position);
  };
  const onMove = (event: PointerEvent) => {
    const position = positionOf(event);
    const before = held.get(event.pointerId);
    if (!before) {
      const node = target.nodeAt(position);
      canvas.style.cursor = node ? 'pointer' : '';
      target.onHover(node);
      return;
    }
    held.set(event.pointerId, position);
    if (held.size > 1) {
      pinch(event.pointerId, before, position);
      return;
    }
    if (!hasMoved && distanceOf(start!, position) < CLICK_DISTANCE) return;
    hasMoved = true;
    target.onHover(undefined);
    const view = target.view();
    if (grabbed) target.onDrag(grabbed, toMap(view, position));
    else target.setView({ ...view, left: view.left + position.x - before.x, top: view.top + position.y - before.y });
  };
  const pinch = (moved: number, before: Point, now: Point) => {
    const other = [...held].find(([id]) => id !== moved)![1];
    const factor = distanceOf(now, other) / Math.max(1, distanceOf(before, other));
    const view = zoomed(target.view(), factor, { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
    const half = { x: (now.x - before.x) / 2, y: (now.y - before.y) / 2 };
    target.setView({ ...view, left: view.left + half.x, top: view.top + half.y });
  };
  const onUp = (event: PointerEvent) => {
    if (!held.delete(event.pointerId) || held.size > 0) return;
    if (!hasMoved && event.type === 'pointerup') target.onSelect(grabbed);
    releaseNode();
  };
  const releaseNode = () => {
    if (grabbed) target.onRelease(grabbed);
    grabbed = undefined;
  };
  const onLeave = () => target.onHover(undefined);
  const onWheel = (event: WheelEvent) => {
    event.preventDefault();
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * LINE_HEIGHT : event.deltaY;
    // Pinching a touchpad arrives as small steps of the wheel with Ctrl.
    const speed = event.ctrlKey ? WHEEL_SPEED * 6 : WHEEL_SPEED;
    target.setView(zoomed(target.view(), Math.exp(-pixels * speed), positionOf(event)));
  };

  const stop = new AbortController();
  const { signal } = stop;
  canvas.addEventListener('pointerdown', onDown, { signal });
  canvas.addEventListener('pointermove', onMove, { signal });
  canvas.addEventListener('pointerup', onUp, { signal });
  canvas.addEventListener('pointercancel', onUp, { signal });
  canvas.addEventListener('pointerleave', onLeave, { signal });
  canvas.addEventListener('wheel', onWheel, { signal, passive: false });
  return () => stop.abort();
}

function distanceOf(one: Point, other: Point): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}
