import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FOREIGN_READERS } from '../../../src/features/portability/formats/readers.ts';
import { FIXTURES, fixture, inPieces, READER_OPTIONS, read, reasonsOf, recordsOf } from './read-fixture.ts';

const LISTS = ['chatgpt', 'claude', 'mem0'] as const;

const reasonOf = async (format: (typeof LISTS)[number], file: string) =>
  reasonsOf(await read(format, inPieces(Buffer.from(file), [65_536]))).at(-1);

/** Generates a ChatGPT export with one conversation per chunk; counts the chunks that were requested. */
async function* generated(conversations: number, messages: number, requested: { chunks: number }) {
  yield Buffer.from('[');
  for (let index = 0; index < conversations; index++) {
    requested.chunks += 1;
    const mapping: Record<string, unknown> = {};
    for (let at = 0; at < messages; at++) {
      const content = { content_type: 'text', parts: [`${index} ${at} ${'lorem ipsum '.repeat(80)}`] };
      const message = { id: `${at}`, author: { role: 'user' }, content };
      mapping[`n${at}`] = { parent: `n${at - 1}`, message };
    }
    const whole = { id: `c${index}`, title: 'x', current_node: `n${messages - 1}`, mapping };
    yield Buffer.from(`${index === 0 ? '' : ','}${JSON.stringify(whole)}`);
  }
  yield Buffer.from(']');
}

describe('a file from another system', () => {
  test.each(FIXTURES)(
    '$file yields the expected number of records and reasons',
    async ({ file, format, ...expected }) => {
      const items = await read(format, await fixture(file));
      const reasons = items.flatMap((item) => ('reason' in item ? [item] : []));
      expect({
        memories: recordsOf(items, 'memory').length,
        conversations: recordsOf(items, 'conversation').length,
        messages: recordsOf(items, 'message').length,
        omissions: reasons.filter(({ fault }) => !fault).length,
        faults: reasons.filter(({ fault }) => fault).length,
      }).toEqual(expected);
    },
  );

  test.each(FIXTURES)('$file gives the same items however it is chunked', async ({ file, format }) => {
    const bytes = await fixture(file);
    const whole = await read(format, inPieces(bytes, [bytes.length]));
    expect(await read(format, inPieces(bytes, [1]))).toEqual(whole);
    const sizes = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(sizes, async (some) => {
        expect(await read(format, inPieces(bytes, some))).toEqual(whole);
      }),
      { numRuns: 4 },
    );
  });

  test.each(FIXTURES)('$file truncated at any byte gives a prefix of its records and never throws', async (known) => {
    const bytes = await fixture(known.file);
    const whole = (await read(known.format, bytes)).filter((item) => 'record' in item);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: bytes.length - 3 }), async (length) => {
        const items = await read(known.format, bytes.subarray(0, length));
        const records = items.filter((item) => 'record' in item);
        expect(records).toEqual(whole.slice(0, records.length));
        if (known.file.endsWith('.json')) expect(items.at(-1)).toMatchObject({ fault: true });
      }),
      { numRuns: 20 },
    );
  });

  test('is rejected with a reason if it has the wrong format', async () => {
    for (const format of LISTS) {
      expect(reasonsOf(await read(format, ''))).toEqual(['!the file: The file is empty.']);
      expect(reasonsOf(await read(format, 'PK\u0003\u0004'))[0]).toMatch(/^!the file: .*ZIP archive, extract it/);
      expect(reasonsOf(await read(format, '<html>'))).toEqual(['!the file: The file is not a JSON array or object.']);
      expect(reasonsOf(await read(format, '[]'))).toEqual(['!the file: The file contains nothing to import.']);
    }
    for (const format of ['basic-memory', 'mcp-memory'] as const) {
      expect(reasonsOf(await read(format, 'hello'))).toEqual(['!line 1: The line is not a JSON object.']);
    }
  });

  test('is read up to the point where its JSON becomes invalid', async () => {
    const broken = async (rest: string | Uint8Array) =>
      reasonsOf(await read('mem0', Buffer.concat([Buffer.from('\ufeff [{"memory": "a"}'), Buffer.from(rest)])));
    expect(await broken(', {"memory": tru}]')).toEqual(['!after [0]: Invalid JSON: Unexpected "}".']);
    expect(await broken('] [')).toEqual(['!after [0]: Invalid JSON: Unexpected "[".']);
    expect(await broken(', {"mem')).toEqual(['!after [0]: The file is truncated.']);
    const notUtf8 = Buffer.from([...Buffer.from(', {"memory": "'), 0xc3, 0x28, ...Buffer.from('"}]')]);
    expect(await broken(notUtf8)).toEqual(['!after [0]: Invalid UTF-8.']);
    expect(await broken(']\n')).toEqual([]);
  });

  test('is rejected before it exhausts the memory of the daemon', async () => {
    for (const format of LISTS) {
      const nested = (levels: number) => reasonOf(format, `[${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}]`);
      expect(await nested(101)).toMatch(/nested more than 100 levels deep/);
      expect(await nested(100)).not.toMatch(/nested more/);
      expect(await reasonOf(format, '['.repeat(500_000))).toMatch(/nested more than 100 levels deep/);
    }
    const filler = (parts: number) => `[{"memory": "a", "x": [${'[],'.repeat(parts)}0]}, {"memory": "b"}]`;
    expect(await reasonOf('mem0', filler(1_334_000))).toMatch(/more than 4000000 JSON tokens/);
    expect(recordsOf(await read('mem0', filler(500_000)), 'memory')).toHaveLength(2);
  });

  test('is rejected at an item that has an object with too many names', async () => {
    const members = (count: number, item: string) => Array.from({ length: count }, (_, index) => `"n${index}":${item}`);
    const one = (count: number) => `{"memory": "a", "x": {${members(count, '1')}}}`;
    expect(reasonsOf(await read('mem0', `[${one(1)}, ${one(50_001)}, ${one(1)}]`))).toEqual([
      '!after [0]: The item has an object with more than 50000 members.',
    ]);
    // The controls: as many as allowed, and more of them in several objects.
    expect(recordsOf(await read('mem0', `[${one(50_000)}, ${one(1)}]`), 'memory')).toHaveLength(2);
    const several = `[{"memory": "a", "x": [${Array(6).fill(`{${members(9000, '1')}}`)}]}]`;
    expect(recordsOf(await read('mem0', several), 'memory')).toHaveLength(1);
    for (const format of ['chatgpt', 'claude'] as const)
      expect(await reasonOf(format, `[${one(50_001)}]`)).toMatch(/more than 50000 members/);
  });

  test('lets the event loop serve others within a large item', async () => {
    let turns = 0;
    let isReading = true;
    const otherWork = () => {
      turns += 1;
      if (isReading) setImmediate(otherWork);
    };
    setImmediate(otherWork);
    const objects = Array.from({ length: 20_000 }, (_, index) => `{"n${index}": 1, "m${index}": 2}`);
    await read('mem0', `[{"memory": "a", "x": [${objects}]}]`);
    isReading = false;
    expect(turns).toBeGreaterThan(3);
  });

  test('is read no faster than its conversations are consumed', async () => {
    const requested = { chunks: 0 };
    for await (const item of FOREIGN_READERS.chatgpt(generated(20, 20, requested), READER_OPTIONS)) {
      if (!('record' in item) || item.record.type !== 'conversation') continue;
      expect(requested.chunks).toBe(Number(/\d+/.exec(item.place)?.[0]) + 1);
    }
    expect(requested.chunks).toBe(20);
  });

  test('needs no more memory if it is larger, and may contain a very long conversation', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const messagesOf = async (conversations: number, messages: number, each = (_place: string) => {}) => {
      let count = 0;
      const chunks = generated(conversations, messages, { chunks: 0 });
      for await (const item of FOREIGN_READERS.chatgpt(chunks, READER_OPTIONS)) {
        if (!('record' in item) || item.record.type === 'message') count += 1;
        else each(item.place);
      }
      return count;
    };
    const heldBytes: number[] = [];
    const count = await messagesOf(100, 40, (place) => {
      if (![5, 95].includes(Number(/\d+/.exec(place)?.[0]))) return;
      collect();
      heldBytes.push(process.memoryUsage().heapUsed);
    });
    expect(count).toBe(4_000);
    expect(heldBytes).toHaveLength(2);
    expect(heldBytes[1]! - heldBytes[0]!).toBeLessThan(2 * 1024 * 1024);
    expect(await messagesOf(1, 1_000)).toBe(1_000);
  });

  test('is rejected at an item that exceeds the size limit', async () => {
    const mebibyte = Buffer.alloc(1024 * 1024, 0x61);
    async function* endless() {
      yield Buffer.from('[{"memory": "kept"}, {"memory": "');
      for (let mebibytes = 0; mebibytes < 1_000; mebibytes++) yield mebibyte;
    }
    expect(reasonsOf(await read('mem0', endless()))).toEqual(['!after [0]: The item is larger than 64 MiB.']);
    async function* longLine() {
      for (let mebibytes = 0; mebibytes < 17; mebibytes++) yield mebibyte;
      yield Buffer.from('\n{"type":"relation","from":"a","to":"b","relationType":"knows"}');
    }
    const items = await read('mcp-memory', longLine());
    expect(reasonsOf(items)).toEqual(['!line 1: is longer than 16 MiB']);
    expect(recordsOf(items, 'memory').map(({ content }) => content)).toEqual(['a knows b']);
  });
});
