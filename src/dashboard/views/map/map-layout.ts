import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type SimulationLinkDatum,
  type SimulationNodeDatum,
} from 'd3-force';
import type { Memory } from '../../../contract/memories.ts';
import { systemClock } from '../../../lib/clock.ts';
import { coloredCount, type LinkKind, type MapGroup, type MapLink } from './map-graph.ts';
import type { Point } from './viewport.ts';

/** A memory on the map. */
export interface MapNode extends Omit<SimulationNodeDatum, 'x' | 'y'>, Point {
  memory: Memory;
  /** Position of its group in the order of the groups. */
  group: number;
}

/** A link between nodes. */
export interface NodeLink extends SimulationLinkDatum<MapNode> {
  source: MapNode;
  target: MapNode;
  kind: LinkKind;
}

/** Where a group is drawn, in units of the map. */
export interface GroupCircle extends Point {
  radius: number;
}

/** The arrangement of a map, which moves in small steps until it rests. */
export interface MapLayout {
  readonly nodes: readonly MapNode[];
  readonly links: readonly NodeLink[];
  readonly circles: readonly GroupCircle[];
  readonly byId: ReadonlyMap<string, MapNode>;
  /** How many groups, from the first, have a color of their own. */
  readonly coloredGroups: number;
  readonly isResting: boolean;
  /** Moves the nodes for about this long, or until they rest. */
  step(budgetMs: number): void;
  /** Holds a node at a point, and lets the others make room. */
  drag(node: MapNode, to: Point): void;
  release(node: MapNode): void;
}

/** Distance of neighbors within a group at the start. */
const SPACING = 9;
const GROUP_GAP = 26;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
const DRAG_HEAT = 0.25;
const REST_HEAT = 0.02;

/** Places circles of these radii without overlap, the large ones in the middle, and returns them in the order given. */
export function placeCircles(radii: readonly number[]): GroupCircle[] {
  const placed: GroupCircle[] = [];
  const bySize = radii.map((radius, index) => ({ radius, index })).sort((one, other) => other.radius - one.radius);
  for (const { radius, index } of bySize) placed[index] = freeCircle(radius, Object.values(placed));
  return placed;
}

/** Looks for room along a spiral from the middle, which is wider than high, like the canvas. */
function freeCircle(radius: number, taken: readonly GroupCircle[]): GroupCircle {
  for (let step = 0; ; step += 1) {
    const distance = 4 * Math.sqrt(step);
    const angle = step * GOLDEN_ANGLE;
    const [x, y] = [Math.cos(angle) * distance * 1.15, Math.sin(angle) * distance];
    const isFree = taken.every((other) => Math.hypot(other.x - x, other.y - y) >= other.radius + radius + GROUP_GAP);
    if (isFree) return { x, y, radius };
  }
}

/** Arranges groups of memories. Memories that the previous layout had start where they were. */
export function layOut(
  groups: readonly MapGroup[],
  links: readonly MapLink[],
  previous?: Pick<MapLayout, 'byId'>,
): MapLayout {
  const circles = placeCircles(groups.map(({ memories }) => SPACING * Math.sqrt(memories.length) + SPACING));
  const nodes = groups.flatMap(({ memories }, group) =>
    memories.map((memory, index): MapNode => {
      const distance = SPACING * Math.sqrt(index);
      const { x, y } = circles[group]!;
      const known = previous?.byId.get(memory.id);
      const start = {
        x: x + Math.cos(index * GOLDEN_ANGLE) * distance,
        y: y + Math.sin(index * GOLDEN_ANGLE) * distance,
      };
      return { memory, group, ...(known ? { x: known.x, y: known.y } : start) };
    }),
  );
  const byId = new Map(nodes.map((node) => [node.memory.id, node]));
  const nodeLinks = links.flatMap(({ from, to, kind }): NodeLink[] => {
    const [source, target] = [byId.get(from), byId.get(to)];
    return source && target ? [{ source, target, kind }] : [];
  });
  const simulation = forceSimulation(nodes)
    .stop()
    .alpha(0.5)
    .alphaDecay(0.035)
    .alphaMin(REST_HEAT)
    .force('charge', forceManyBody<MapNode>().strength(-4).distanceMax(60))
    .force('collide', forceCollide<MapNode>(SPACING * 0.8))
    .force(
      'links',
      forceLink<MapNode, NodeLink>(nodeLinks)
        .distance(SPACING * 1.6)
        .strength(linkStrength),
    )
    .force('x', forceX<MapNode>(({ group }) => circles[group]!.x).strength(0.08))
    .force('y', forceY<MapNode>(({ group }) => circles[group]!.y).strength(0.08));
  return {
    nodes,
    links: nodeLinks,
    circles,
    byId,
    coloredGroups: coloredCount(groups),
    get isResting() {
      return simulation.alpha() < REST_HEAT;
    },
    step: (budgetMs) => {
      const end = systemClock.monotonicMs() + budgetMs;
      do simulation.tick();
      while (simulation.alpha() >= REST_HEAT && systemClock.monotonicMs() < end);
    },
    drag: (node, { x, y }) => {
      node.fx = x;
      node.fy = y;
      simulation.alpha(Math.max(simulation.alpha(), DRAG_HEAT));
    },
    release: (node) => {
      node.fx = null;
      node.fy = null;
    },
  };
}

/** Links within a group shape it; links between groups hardly pull the groups together. */
function linkStrength({ source, target }: NodeLink): number {
  return source.group === target.group ? 0.4 : 0.02;
}
