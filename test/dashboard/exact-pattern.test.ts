import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exactPattern } from '../../src/dashboard/parts/exact-pattern.ts';

/** As browsers compile the `pattern` of a field: they ignore one that is no expression. */
const compiled = (text: string, flags: string) => new RegExp(`^(?:${exactPattern(text)})$`, flags);

test('what must be typed to confirm is that text alone, whatever characters it has', () => {
  for (const text of ['ada@my-company.com', 'a-b', 'team (old) [2]', '1+1=2|{x}', 'C:\\temp/*', '$^.?', '日本 – é']) {
    for (const flags of ['v', 'u']) {
      expect(compiled(text, flags).test(text)).toBe(true);
      expect(compiled(text, flags).test('x')).toBe(false);
    }
  }
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) =>
      compiled(text.replaceAll('\n', ''), 'u').test(text.replaceAll('\n', '')),
    ),
  );
});
