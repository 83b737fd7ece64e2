import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MessagePart } from '../../../src/contract/message-content.ts';
import { storedContentOf, textOf, writtenTextOf } from '../../../src/features/conversations/message-content.ts';

const text = (words: string): MessagePart => ({ type: 'text', text: words });
const call: MessagePart = { type: 'tool_call', id: 'c1', name: 'get_weather', arguments: { city: 'Graz' } };
const result = (content: unknown): MessagePart => ({ type: 'tool_result', toolCallId: 'c1', content });
const image: MessagePart = { type: 'image_url', url: 'https://example.com/secret-token.png' };

describe('the text of parts', () => {
  test('has a line for each: words, tool names with arguments, results, and a mark for images without their URL', () => {
    expect(textOf([text('Look:'), image, call, result({ sky: 'clear' }), result('18 °C')])).toBe(
      'Look:\n[image]\nget_weather {"city":"Graz"}\n{"sky":"clear"}\n18 °C',
    );
  });

  test('takes arguments that are text unchanged', () => {
    expect(textOf([{ ...call, arguments: '{"city": "Graz"}' } as MessagePart])).toBe('get_weather {"city": "Graz"}');
  });

  const words = fc.string({ minLength: 1, maxLength: 20 }).filter((one) => /\S/.test(one));
  const anyPart = fc.oneof(
    words.map(text),
    fc.record({ id: words, name: words, arguments: fc.jsonValue() }).map((one) => ({ type: 'tool_call', ...one })),
    fc.jsonValue().map(result),
    words.map((path) => ({ type: 'image_url', url: `https://example.com/${encodeURIComponent(path)}` })),
  ) as fc.Arbitrary<MessagePart>;
  const parts = fc.array(anyPart, { minLength: 1, maxLength: 5 });

  test('is never blank, and parts are stored as given', () => {
    fc.assert(
      fc.property(parts, (all) => {
        expect(textOf(all)).toMatch(/\S/);
        expect(storedContentOf(all, '/content')).toEqual({ content: textOf(all), parts: all });
      }),
    );
  });

  test('that the sender wrote excludes tools, and is all of a message without parts', () => {
    const written = (all: readonly MessagePart[]) =>
      writtenTextOf({ content: textOf(all), parts: JSON.stringify(all) });
    expect(written([text('It is sunny.'), call, result('sunny'), image])).toBe('It is sunny.\n[image]');
    expect(written([call, result('sunny')])).toBe('');
    expect(writtenTextOf({ content: 'It is sunny.', parts: null })).toBe('It is sunny.');
  });
});

describe('content', () => {
  test('that is a string is stored unchanged', () => {
    expect(storedContentOf('Hi', '/content')).toEqual({ content: 'Hi', parts: null });
  });

  test.each<[string, MessagePart[]]>([
    ['one character of text too many', [text('x'.repeat(50_000)), text('x'.repeat(50_000))]],
    ['more than 400 KiB of JSON', [image, { type: 'image_url', url: `data:image/png,${'x'.repeat(420_000)}` }]],
  ])('with %s is refused at its path', (_, parts) => {
    const store = () => storedContentOf(parts, '/messages/3/content');
    expect(store).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    expect(store).toThrow('/messages/3/content must');
  });

  test('may have as many characters of text in parts as in a string, whatever their encoding', () => {
    const longest = [text('🜁'.repeat(100_000))];
    expect(storedContentOf(longest, '/content').content).toHaveLength(200_000);
  });
});
