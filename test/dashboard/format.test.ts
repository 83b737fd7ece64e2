import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => vi.unstubAllGlobals());

/** The formats of a page in a language, for a reader who prefers these locales. */
function formatsOf(lang: string, languages: string[]): Promise<typeof import('../../src/dashboard/format.ts')> {
  vi.stubGlobal('document', { documentElement: { lang } });
  vi.stubGlobal('navigator', { languages });
  // The module reads both when it is loaded.
  vi.resetModules();
  return import('../../src/dashboard/format.ts');
}

test('counts in the forms of the page’s language', async () => {
  const english = await formatsOf('en', ['en-GB']);
  expect([0, 1, 2, 1500].map((count) => english.formatCount(count, 'memory', 'memories'))).toEqual([
    ...['0 memories', '1 memory', '2 memories', '1,500 memories'],
  ]);
  const polish = await formatsOf('pl', ['pl-PL', 'en-US']);
  const forms = ['wspomnienie', 'wspomnienia', 'wspomnień'] as const;
  expect([1, 3, 5, 22].map((count) => polish.formatCount(count, ...forms))).toEqual([
    ...['1 wspomnienie', '3 wspomnienia', '5 wspomnień', '22 wspomnienia'],
  ]);
  // What is not translated has two forms, whatever the language tells apart.
  expect(polish.formatCount(5, 'memory', 'memories')).toBe('5 memories');
});

test('writes dates as the reader prefers in the page’s language', async () => {
  expect((await formatsOf('en', ['de-AT', 'en-US'])).formatDay('2026-03-12')).toBe('March 12');
  expect((await formatsOf('en', ['de-AT'])).formatDay('2026-03-12')).toBe('12 March');
  expect((await formatsOf('de', ['en-US', 'de-AT'])).formatDay('2026-01-12')).toBe('12. Jänner');
  expect((await formatsOf('de', ['en-US'])).formatDay('2026-01-12')).toBe('12. Januar');
  const german = await formatsOf('de', ['de-DE']);
  expect([german.formatMonthName('2026-05-01'), german.formatWeekdayName(1)]).toEqual(['Mai', 'Mo']);
});
