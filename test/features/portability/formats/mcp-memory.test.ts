import { describe, expect, test } from 'vitest';
import { fixture, read, reasonsOf, recordsOf } from '../read-fixture.ts';

describe('an MCP memory server graph', () => {
  test('yields one memory per observation and relation', async () => {
    const memories = recordsOf(await read('mcp-memory', await fixture('mcp-memory.jsonl')), 'memory');
    expect(memories.map(({ content, tags, metadata }) => [content, tags, metadata])).toEqual([
      ['Ada: Plays the viola', ['imported', 'person'], { entity: 'Ada', entityType: 'person' }],
      ['Ada: Lives in Bergen 🌧', ['imported', 'person'], { entity: 'Ada', entityType: 'person' }],
      ['Quartet: ensemble', ['imported', 'ensemble'], { entity: 'Quartet', entityType: 'ensemble' }],
      ['Ada plays_in Quartet', ['imported'], { from: 'Ada', relationType: 'plays_in', to: 'Quartet' }],
    ]);
  });

  test('reports invalid lines by number', async () => {
    expect(reasonsOf(await read('mcp-memory', await fixture('mcp-memory.jsonl')))).toEqual([
      'line 3: The entity has neither a type nor observations',
      '!line 6: The line is neither an entity nor a relation.',
    ]);
    const broken = '{"type":"entity"}\n{"type":"relation","from":"a","to":"b"}\n{"type":"entity","name":"a","observ';
    expect(reasonsOf(await read('mcp-memory', broken))).toEqual([
      '!line 1: The entity has no name.',
      '!line 2: The relation has no “from”, “relationType” or “to”.',
      '!line 3: The line is not a JSON object.',
    ]);
  });

  test('loses only the line that is nested too deep', async () => {
    const line = (observations: string) =>
      `{"type":"entity","name":"a","entityType":"x","observations":${observations}}\n`;
    const items = await read(
      'mcp-memory',
      line('[]') + line('['.repeat(400_000) + ']'.repeat(400_000)) + line('["b"]'),
    );
    expect(recordsOf(items, 'memory').map(({ content }) => content)).toEqual(['a: x', 'a: b']);
    expect(reasonsOf(items)).toEqual(['!line 2: The line is nested deeper than 32 levels.']);
  });

  test('loses only the line that is not UTF-8', async () => {
    const line = (name: string) =>
      Buffer.from(`{"type":"entity","name":"${name}","entityType":"x","observations":[]}\n`);
    const broken = Buffer.from(line('é')).fill(0xff, 26, 27);
    const items = await read('mcp-memory', Buffer.concat([line('a'), broken, line('b')]));
    expect(recordsOf(items, 'memory').map(({ content }) => content)).toEqual(['a: x', 'b: x']);
    expect(reasonsOf(items)).toEqual(['!line 2: is not valid UTF-8']);
  });
});
