import { colorsOf, drawMap, type MapColors, radiusOf, type Scene } from './map-drawing.ts';
import type { MapLayout, MapNode } from './map-layout.ts';
import { followPointers } from './map-pointers.ts';
import { fitted, type Point, type Size, showing, toCanvas, type Viewport, zoomed } from './viewport.ts';

/** Options of a stage besides the arrangement. */
export type StageMarks = Pick<Scene, 'selected' | 'bright' | 'similar'>;

interface StageEvents {
  onHover(hovered: { node: MapNode; at: Point } | undefined): void;
  onSelect(node: MapNode | undefined): void;
  /** The arrangement is drawn for the first time. */
  onShown(): void;
}

/** Time for the arrangement in each frame, which leaves time to draw. */
const STEP_MS = 7;
const REACH = 8;
/** Share of the way to a point that the view moves in each frame. */
const PAN_SHARE = 0.22;

/**
 * Draws a map on a canvas, moves it while it is arranged, and lets pointers change the view. It works in animation frames
 * alone, so it stops while the page is hidden. With reduced motion, the map is drawn once it rests.
 */
export class MapStage {
  #layout: MapLayout | undefined;
  #groupNames: readonly string[] = [];
  #marks: StageMarks = { selected: undefined, bright: undefined, similar: [] };
  #hovered: string | undefined;
  #view: Viewport = { scale: 1, left: 0, top: 0 };
  /** Where the view moves to. */
  #aim: Viewport | undefined;
  /** The user has moved the view: it does not follow the arrangement any more. */
  #isMoved = false;
  #isShown = false;
  #size: Size = { width: 1, height: 1 };
  #colors: MapColors;
  #frame = 0;
  readonly #canvas: HTMLCanvasElement;
  readonly #events: StageEvents;
  readonly #stops: (() => void)[];
  readonly #motion = matchMedia('(prefers-reduced-motion: reduce)');

  constructor(canvas: HTMLCanvasElement, events: StageEvents) {
    this.#canvas = canvas;
    this.#events = events;
    this.#colors = colorsOf(canvas);
    const sizes = new ResizeObserver(() => this.#resize());
    sizes.observe(canvas);
    this.#stops = [
      () => sizes.disconnect(),
      onThemeChange(() => {
        this.#colors = colorsOf(canvas);
        this.#draw();
      }),
      followPointers(canvas, {
        view: () => this.#view,
        setView: (view) => this.#look(view),
        nodeAt: (position) => this.#nodeAt(position),
        onHover: (node) => this.#hover(node),
        onSelect: events.onSelect,
        onDrag: (node, to) => {
          this.#isMoved = true;
          this.#layout?.drag(node, to);
          this.#draw();
        },
        onRelease: (node) => this.#layout?.release(node),
      }),
    ];
  }

  /** Shows another arrangement. */
  show(layout: MapLayout, groupNames: readonly string[]): void {
    this.#layout = layout;
    this.#groupNames = groupNames;
    this.#hover(undefined);
    this.#draw();
  }

  /** Marks the selected and highlighted nodes, and brings the selected one into view. */
  mark(marks: StageMarks): void {
    const isOther = marks.selected !== this.#marks.selected;
    this.#marks = marks;
    const node = marks.selected === undefined ? undefined : this.#layout?.byId.get(marks.selected);
    if (isOther && node && this.#isShown) {
      const aim = showing(this.#view, node, this.#size);
      if (aim !== this.#view) {
        this.#isMoved = true;
        if (this.#motion.matches) this.#view = aim;
        else this.#aim = aim;
      }
    }
    this.#draw();
  }

  /** Zooms around the middle of the canvas. */
  zoom(factor: number): void {
    this.#look(zoomed(this.#view, factor, { x: this.#size.width / 2, y: this.#size.height / 2 }));
  }

  /** Shows everything again. */
  fit(): void {
    this.#isMoved = false;
    this.#aim = undefined;
    this.#draw();
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    for (const stop of this.#stops) stop();
  }

  #look(view: Viewport): void {
    this.#isMoved = true;
    this.#aim = undefined;
    this.#view = view;
    this.#hover(undefined);
    this.#draw();
  }

  #hover(node: MapNode | undefined): void {
    if (node?.memory.id === this.#hovered) return;
    this.#hovered = node?.memory.id;
    this.#events.onHover(node && { node, at: toCanvas(this.#view, node) });
    this.#draw();
  }

  #nodeAt(position: Point): MapNode | undefined {
    let best: MapNode | undefined;
    let nearest = REACH;
    for (const node of this.#layout?.nodes ?? []) {
      const { x, y } = toCanvas(this.#view, node);
      const distance = Math.hypot(x - position.x, y - position.y) - radiusOf(node, this.#view);
      if (distance < nearest) [best, nearest] = [node, distance];
    }
    return best;
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    this.#size = { width, height };
    this.#canvas.width = Math.round(width * devicePixelRatio);
    this.#canvas.height = Math.round(height * devicePixelRatio);
    this.#draw();
  }

  #draw(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#step();
    });
  }

  #step(): void {
    const layout = this.#layout;
    const context = this.#canvas.getContext('2d');
    if (!layout || !context) return;
    if (!layout.isResting) layout.step(STEP_MS);
    if (!this.#isMoved) this.#view = fitted([...layout.nodes, ...labelPoints(layout)], this.#size);
    else if (this.#aim) this.#approach(this.#aim);
    if (!layout.isResting || this.#aim) this.#draw();
    if (!layout.isResting && !this.#isShown && this.#motion.matches) return;
    if (!this.#isShown) this.#events.onShown();
    this.#isShown = true;
    const scene = {
      layout,
      groupNames: this.#groupNames,
      view: this.#view,
      size: this.#size,
      density: devicePixelRatio,
    };
    drawMap(context, { ...scene, ...this.#marks, hovered: this.#hovered }, this.#colors);
  }

  #approach(aim: Viewport): void {
    const { scale, left, top } = this.#view;
    const isThere = Math.abs(aim.left - left) < 1 && Math.abs(aim.top - top) < 1;
    this.#view = isThere
      ? aim
      : { scale, left: left + (aim.left - left) * PAN_SHARE, top: top + (aim.top - top) * PAN_SHARE };
    if (isThere) this.#aim = undefined;
  }
}

/** The upper ends of the groups, where their names are. */
function labelPoints({ circles }: MapLayout): Point[] {
  return circles.map(({ x, y, radius }) => ({ x, y: y - radius }));
}

/** Calls back when the page or the system changes between light and dark. */
function onThemeChange(callback: () => void): () => void {
  const observer = new MutationObserver(callback);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', callback);
  return () => {
    observer.disconnect();
    scheme.removeEventListener('change', callback);
  };
}
