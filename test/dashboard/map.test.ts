import { describe, expect, test } from 'vitest';
import type { Memory } from '../../src/contract/memories.ts';
import { bestGrouping, coloredCount, groupMemories, linkMemories } from '../../src/dashboard/views/map/map-graph.ts';
import { layOut, placeCircles } from '../../src/dashboard/views/map/map-layout.ts';
import { mapStateOf, matchingIds } from '../../src/dashboard/views/map/map-memories.ts';
import { fitted, showing, toCanvas, toMap, zoomed } from '../../src/dashboard/views/map/viewport.ts';

const AT = '2026-05-01T10:00:00.000Z';

function memory(id: string, given: Partial<Memory> = {}): Memory {
  return {
    ...{
      id,
      content: `Text of ${id}`,
      user: 'ada',
      project: null,
      externalId: null,
      client: null,
      author: null,
      origin: null,
      tags: [],
      metadata: {},
    },
    ...{ source: null, occurredAt: null, saidAt: null, expiresAt: null, pinned: false, validFrom: AT, validTo: null },
    ...{ supersededBy: null, version: 1, createdAt: AT, updatedAt: AT },
    ...given,
  };
}

const idsOf = (memories: readonly Memory[]) => memories.map(({ id }) => id);
const SIZE = { width: 800, height: 600 };

describe('the groups of the map', () => {
  test('are by the most frequent tag of each memory, the largest first and memories without one last', () => {
    const memories = [
      memory('a'),
      memory('b', { tags: ['tea'] }),
      memory('c', { tags: ['people', 'tea'] }),
      memory('d', { tags: ['people'] }),
      memory('e', { tags: ['people'] }),
    ];
    const groups = groupMemories(memories, 'tag');
    expect(groups.map(({ kind, key, memories }) => [kind, key, idsOf(memories)])).toEqual([
      ['value', 'people', ['c', 'd', 'e']],
      ['value', 'tea', ['b']],
      ['none', '', ['a']],
    ]);
  });

  test('are by what groups at least half of the memories, or else most of them', () => {
    const tagged = [memory('a', { tags: ['tea'] }), memory('b', { tags: ['tea'] })];
    const inProject = ['c', 'd', 'e'].map((id) => memory(id, { project: 'web' }));
    expect(bestGrouping(tagged)).toBe('tag');
    expect(bestGrouping([...tagged, ...inProject])).toBe('project');
    expect(bestGrouping([memory('f'), memory('g'), memory('h', { source: { conversationId: 'x' } })])).toBe(
      'conversation',
    );
    expect(bestGrouping([memory('f')])).toBe('tag');
  });

  test('are at most 24, and one for the rest', () => {
    const memories = Array.from({ length: 60 }, (_, index) =>
      memory(`m${index}`, { project: `project ${index % 30}` }),
    );
    const groups = groupMemories(memories, 'project');
    expect(groups).toHaveLength(25);
    expect(groups.at(-1)).toMatchObject({ kind: 'rest' });
    expect(groups.flatMap((group) => group.memories)).toHaveLength(60);
    expect(coloredCount(groups)).toBe(6);
  });

  test('are by conversation where that is asked for', () => {
    const memories = [memory('a', { source: { conversationId: 'conv_1' } }), memory('b')];
    const groups = groupMemories(memories, 'conversation');
    expect(groups.map(({ key }) => key)).toEqual(['conv_1', '']);
    expect(coloredCount(groups)).toBe(1);
  });
});

describe('the links of the map', () => {
  test('point from a memory to the one that it supersedes', () => {
    expect(linkMemories([memory('new'), memory('old', { supersededBy: 'new', validTo: AT })])).toEqual([
      { from: 'new', to: 'old', kind: 'supersedes' },
    ]);
  });

  test('leave out memories that are not on the map', () => {
    expect(linkMemories([memory('old', { supersededBy: 'elsewhere' })])).toEqual([]);
  });

  test('join memories of one episode, message or conversation, each pair once', () => {
    const links = linkMemories([
      memory('a', { source: { conversationId: 'c', messageId: 'm' } }),
      memory('b', { source: { conversationId: 'c', messageId: 'm' } }),
      memory('c', { source: { conversationId: 'c', episodeId: 'e' } }),
      memory('d', { source: { episodeId: 'e' } }),
    ]);
    expect(links.map(({ from, to, kind }) => `${from}-${to} ${kind}`)).toEqual([
      'a-b source',
      'b-c source',
      'c-d episode',
    ]);
  });
});

describe('the arrangement', () => {
  test('places groups without overlap', () => {
    const circles = placeCircles([90, 60, 60, 30, 10, 10, 10]);
    for (const [index, one] of circles.entries()) {
      for (const other of circles.slice(index + 1)) {
        expect(Math.hypot(one.x - other.x, one.y - other.y)).toBeGreaterThan(one.radius + other.radius);
      }
    }
  });

  test('comes to rest, with each memory nearest to the middle of its group', () => {
    const memories = Array.from({ length: 120 }, (_, index) => memory(`m${index}`, { tags: [`tag ${index % 3}`] }));
    const layout = layOut(groupMemories(memories, 'tag'), []);
    for (let steps = 0; !layout.isResting; steps += 1) {
      expect(steps).toBeLessThan(1000);
      layout.step(5);
    }
    for (const node of layout.nodes) {
      const distances = layout.circles.map(({ x, y }) => Math.hypot(node.x - x, node.y - y));
      expect(distances.indexOf(Math.min(...distances))).toBe(node.group);
    }
  });

  test('keeps memories where they were when others are added', () => {
    const before = layOut(groupMemories([memory('a'), memory('b')], 'tag'), []);
    const after = layOut(groupMemories([memory('c'), memory('a'), memory('b')], 'tag'), [], before);
    const { x, y } = before.byId.get('b')!;
    expect(after.byId.get('b')).toMatchObject({ x, y });
  });
});

describe('the view', () => {
  test('fits all points', () => {
    const points = [
      { x: -500, y: 20 },
      { x: 900, y: 400 },
    ];
    const view = fitted(points, SIZE);
    for (const point of points) {
      const { x, y } = toCanvas(view, point);
      expect(x >= 0 && x <= SIZE.width && y >= 0 && y <= SIZE.height).toBe(true);
    }
  });

  test('zooms around the pointer', () => {
    const view = { scale: 1, left: 30, top: -10 };
    const pointer = { x: 200, y: 100 };
    const after = zoomed(view, 2, pointer);
    expect(after.scale).toBe(2);
    expect(toMap(after, pointer)).toEqual(toMap(view, pointer));
  });

  test('moves to a point only if that is out of view', () => {
    const view = { scale: 1, left: 0, top: 0 };
    expect(showing(view, { x: 400, y: 300 }, SIZE)).toBe(view);
    expect(toCanvas(showing(view, { x: 5000, y: 300 }, SIZE), { x: 5000, y: 300 })).toEqual({ x: 400, y: 300 });
  });
});

test('the address holds what the map shows', () => {
  expect(mapStateOf(new URLSearchParams('by=project&tag=tea&show=current&q= oolong '))).toEqual({
    ...{ user: undefined, tag: 'tea', project: undefined, source: undefined },
    ...{ isCurrentOnly: true, grouping: 'project', query: 'oolong' },
  });
  expect(mapStateOf(new URLSearchParams('by=nonsense')).grouping).toBeUndefined();
});

test('a search on the map needs all words, in the text or the tags', () => {
  const memories = [
    memory('a', { content: 'Ada likes Oolong', tags: ['taste'] }),
    memory('b', { content: 'Ada walks' }),
  ];
  expect(matchingIds(memories, 'taste ada')).toEqual(new Set(['a']));
  expect(matchingIds(memories, ' ')).toBeUndefined();
});
