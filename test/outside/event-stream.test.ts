import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readEventData } from '../../src/cli/bridge/http-transport.ts';
import { eventsWithin } from '../../src/outside/event-stream.ts';

const LIMITS = { depth: 3, objectMembers: 100, members: 100, values: 100 };

async function* piecesOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

/** What the events hold that are passed on. */
async function passedOn(text: string, size = 1000, maxBytes = 1000): Promise<string[]> {
  const data: string[] = [];
  for await (const event of readEventData(eventsWithin(piecesOf(text, size), maxBytes, LIMITS))) data.push(event);
  return data;
}

describe('a stream of events', () => {
  test('has the same data however it is written and split', async () => {
    const line = fc.string({ unit: fc.constantFrom('a', ' ', ':', '漢', '1', ',') });
    const written = fc.constantFrom('\n', '\r\n', '\r').map((end) => ({ end }));
    const other = fc.constantFrom('event: x', ': comment', 'id: 1', 'datax: 1', 'da');
    const events = fc.array(fc.record({ lines: fc.array(line, { minLength: 1, maxLength: 3 }), other, written }), {
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(
        events,
        fc.boolean(),
        fc.boolean(),
        fc.integer({ min: 1, max: 20 }),
        async (given, mark, spaced, size) => {
          const texts = given.map(
            ({ lines, other, written: { end } }) =>
              [other, ...lines.map((text) => `data:${spaced ? ' ' : ''}${text}`), ''].join(end) + end,
          );
          // Without the optional space, a space that the data begins with is taken for it.
          const expected = given.map(({ lines }) =>
            lines.map((text) => (spaced ? text : text.replace(/^ /, ''))).join('\n'),
          );
          const text = `${mark ? '\ufeff' : ''}${texts.join('')}data: incomplete`;
          expect(await passedOn(text, size)).toEqual(expected);
        },
      ),
    );
  });

  test.each([
    ['behind a comment that closes levels', 'data: [[[\n: ]]]\ndata: [\n\n'],
    ['behind a comment that opens a text', ': "\ndata: [[[[\n\n'],
    ['behind a lone return', 'data: [[[\r: ]]]\rdata: [\r\r'],
    ['behind a byte order mark', '\ufeffdata: [[[[\n\n'],
    ['in the second event', 'data: [[[\n\ndata: [[[[\n\n'],
  ])('is refused for levels that stand %s', async (_, text) => {
    for (const size of [1, 2, 1000])
      await expect(passedOn(text, size)).rejects.toThrow('has an event that is nested deeper than 3 levels');
    // The control: as deep as allowed.
    expect(await passedOn('data: [[[\n\n')).toEqual(['[[[']);
  });

  test('is refused for one event that exceeds the limit, not for many', async () => {
    const event = `data: ${'1'.repeat(900)}\n\n`;
    expect(await passedOn(event.repeat(20), 64)).toHaveLength(20);
    for (const text of [`data: ${'1'.repeat(1100)}`, `: ${'x'.repeat(1100)}`, 'data: 1\n'.repeat(200)]) {
      await expect(passedOn(text, 64)).rejects.toThrow('has an event that exceeds 1 KiB');
    }
  });
});
