import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FOREIGN_READERS } from '../../../src/features/portability/formats/readers.ts';
import { FIXTURES, fixture, GIVEN, inPieces, read, reasonsOf, recordsOf } from './reading.ts';

const LISTS = ['chatgpt', 'claude', 'mem0'] as const;

const reasonOf = async (format: (typeof LISTS)[number], file: string) =>
  reasonsOf(await read(format, inPieces(Buffer.from(file), [65_536]))).at(-1);

/** An export of ChatGPT of that many conversations, a chunk each; counts what was asked for. */
async function* generated(conversations: number, messages: number, asked: { chunks: number }) {
  yield Buffer.from('[');
  for (let index = 0; index < conversations; index++) {
    asked.chunks += 1;
    const mapping: Record<string, unknown> = {};
    for (let place = 0; place < messages; place++) {
      const content = { content_type: 'text', parts: [`${index} ${place} ${'lorem ipsum '.repeat(80)}`] };
      const message = { id: `${place}`, author: { role: 'user' }, content };
      mapping[`n${place}`] = { parent: `n${place - 1}`, message };
    }
    const whole = { id: `c${index}`, title: 'x', current_node: `n${messages - 1}`, mapping };
    yield Buffer.from(`${index === 0 ? '' : ','}${JSON.stringify(whole)}`);
  }
  yield Buffer.from(']');
}

describe('a file of another system', () => {
  test.each(FIXTURES)('$file holds what it is known to hold', async ({ file, format, ...expected }) => {
    const found = await read(format, await fixture(file));
    const reasons = found.flatMap((item) => ('reason' in item ? [item] : []));
    expect({
      memories: recordsOf(found, 'memory').length,
      conversations: recordsOf(found, 'conversation').length,
      messages: recordsOf(found, 'message').length,
      remarks: reasons.filter(({ fault }) => !fault).length,
      faults: reasons.filter(({ fault }) => fault).length,
    }).toEqual(expected);
  });

  test.each(FIXTURES)('$file is read alike in whatever pieces it comes', async ({ file, format }) => {
    const bytes = await fixture(file);
    const whole = await read(format, inPieces(bytes, [bytes.length]));
    expect(await read(format, inPieces(bytes, [1]))).toEqual(whole);
    const sizes = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(sizes, async (some) => {
        expect(await read(format, inPieces(bytes, some))).toEqual(whole);
      }),
      { numRuns: 8 },
    );
  });

  test.each(FIXTURES)(
    '$file that is cut off anywhere gives the beginning of the whole, never an error',
    async (known) => {
      const bytes = await fixture(known.file);
      const whole = (await read(known.format, bytes)).filter((item) => 'record' in item);
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 0, max: bytes.length - 3 }), async (length) => {
          const found = await read(known.format, bytes.subarray(0, length));
          const records = found.filter((item) => 'record' in item);
          expect(records).toEqual(whole.slice(0, records.length));
          if (known.file.endsWith('.json')) expect(found.at(-1)).toMatchObject({ fault: true });
        }),
        { numRuns: 40 },
      );
    },
  );

  test('is refused with a reason where it is none of its kind', async () => {
    for (const format of LISTS) {
      expect(reasonsOf(await read(format, ''))).toEqual(['!the file: The file is empty.']);
      expect(reasonsOf(await read(format, 'PK\u0003\u0004'))[0]).toMatch(/^!the file: .*ZIP archive, unpack it/);
      expect(reasonsOf(await read(format, '<html>'))).toEqual(['!the file: The file is no JSON list or object.']);
      expect(reasonsOf(await read(format, '[]'))).toEqual(['!the file: It holds nothing that could be imported.']);
    }
    for (const format of ['basic-memory', 'mcp-memory'] as const) {
      expect(reasonsOf(await read(format, 'hello'))).toEqual(['!line 1: The line is not a JSON object.']);
    }
  });

  test('is read up to where it ends being JSON', async () => {
    const broken = async (behind: string | Uint8Array) =>
      reasonsOf(await read('mem0', Buffer.concat([Buffer.from('\ufeff [{"memory": "a"}'), Buffer.from(behind)])));
    expect(await broken(', {"memory": tru}]')).toEqual(['!behind [0]: What follows is no JSON: Unexpected "}".']);
    expect(await broken('] [')).toEqual(['!behind [0]: What follows is no JSON: Unexpected "[".']);
    expect(await broken(', {"mem')).toEqual(['!behind [0]: The file is cut off: its end is missing.']);
    const notUtf8 = Buffer.from([...Buffer.from(', {"memory": "'), 0xc3, 0x28, ...Buffer.from('"}]')]);
    expect(await broken(notUtf8)).toEqual(['!behind [0]: What follows is not valid UTF-8.']);
    expect(await broken(']\n')).toEqual([]);
  });

  test('is refused before it takes the memory of the daemon', async () => {
    for (const format of LISTS) {
      const nested = (levels: number) => reasonOf(format, `[${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}]`);
      expect(await nested(101)).toMatch(/nested deeper than 100 levels/);
      expect(await nested(100)).not.toMatch(/nested deeper/);
      expect(await reasonOf(format, '['.repeat(5_000_000))).toMatch(/nested deeper than 100 levels/);
    }
    const filler = (parts: number) => `[{"memory": "a", "x": [${'[],'.repeat(parts)}0]}, {"memory": "b"}]`;
    expect(await reasonOf('mem0', filler(1_400_000))).toMatch(/more parts than can be held at once/);
    expect(recordsOf(await read('mem0', filler(500_000)), 'memory')).toHaveLength(2);
  });

  test('is asked for no faster than its conversations are taken', async () => {
    const asked = { chunks: 0 };
    for await (const item of FOREIGN_READERS.chatgpt(generated(20, 20, asked), GIVEN)) {
      if (!('record' in item) || item.record.type !== 'conversation') continue;
      expect(asked.chunks).toBe(Number(/\d+/.exec(item.place)?.[0]) + 1);
    }
    expect(asked.chunks).toBe(20);
  });

  test('takes no more memory where it is larger, and is read where one conversation is very long', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const heldBy = async (conversations: number, messages: number) => {
      let heldBytes = 0;
      let count = 0;
      collect();
      const before = process.memoryUsage().heapUsed;
      for await (const item of FOREIGN_READERS.chatgpt(generated(conversations, messages, { chunks: 0 }), GIVEN)) {
        if (!('record' in item) || item.record.type === 'message') count += 1;
        else if (Number(/\d+/.exec(item.place)?.[0]) % 50 === 45) {
          collect();
          heldBytes = Math.max(heldBytes, process.memoryUsage().heapUsed - before);
        }
      }
      return { heldBytes, count };
    };
    const many = await heldBy(150, 40);
    expect(many.count).toBe(6_000);
    expect(many.heldBytes).toBeLessThan(3 * 1024 * 1024);
    expect((await heldBy(1, 2_000)).count).toBe(2_000);
  });

  test('has no single thing in it that is larger than can be held', async () => {
    async function* endless() {
      yield Buffer.from('[{"memory": "kept"}, {"memory": "');
      for (let mebibytes = 0; mebibytes < 1_000; mebibytes++) yield Buffer.alloc(1024 * 1024, 0x61);
    }
    expect(reasonsOf(await read('mem0', endless()))).toEqual(['!behind [0]: What follows is larger than 64 MiB.']);
    async function* longLine() {
      for (let mebibytes = 0; mebibytes < 17; mebibytes++) yield Buffer.alloc(1024 * 1024, 0x61);
      yield Buffer.from('\n{"type":"relation","from":"a","to":"b","relationType":"knows"}');
    }
    const found = await read('mcp-memory', longLine());
    expect(reasonsOf(found)).toEqual(['!line 1: is longer than 16 MiB']);
    expect(recordsOf(found, 'memory').map(({ content }) => content)).toEqual(['a knows b']);
  });
});
