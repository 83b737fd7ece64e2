import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SearchAnswer } from '../../src/contract/search.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { freshAddress } from '../helpers/sign-in.ts';
import { type CliUser, createCliUser } from './memory-harness.ts';

const TTY = { tty: true };
let daemon: TestDaemon;
let person: CliUser;
let apiKey: string;
let font: string;

beforeAll(async () => {
  daemon = await startTestDaemon();
});
beforeEach(async () => {
  ({ apiKey } = await makeTenant(daemon, freshAddress(), 'Enterprise'));
  person = await createCliUser(daemon.baseUrl, apiKey, daemon.clock);
  font = JSON.parse((await person.run(['add', 'The editor is set in Iosevka', '--json'])).out).id;
  return person.close;
});
afterAll(() => daemon.close());

/** Asks, and reports the memory about the font as used. */
async function teach(query: string): Promise<void> {
  const { body } = await daemon.call<SearchAnswer>(apiKey, '/v1/search', { body: { query } });
  const answer = await daemon.call(apiKey, `/v1/searches/${body.searchId}/feedback`, { body: { used: [font] } });
  expect(answer.status, answer.text).toBe(202);
}

const words = async () =>
  (JSON.parse((await person.run(['learned', '--json'])).out) as { data: { word: string }[] }).data
    .map(({ word }) => word)
    .sort();

describe('svc learned', () => {
  test('says how words are learned where there are none', async () => {
    expect((await person.run(['learned'], TTY)).out).toMatch(/^No words learned yet: /);
  });

  test('lists words with what they lead to, for people and for programs', async () => {
    await teach('typeface of my editor');
    await teach('editor font');
    const shown = (await person.run(['learned'], TTY)).out;
    expect(shown).toContain('The editor is set in Iosevka\n  ');
    expect(shown).toContain('editor ×2');
    expect(shown).toContain(`${font}, just now\n`);
    const rows = (await person.run(['learned', '--item', font])).out.trimEnd().split('\n');
    const time = expect.stringMatching(/Z$/);
    expect(rows.map((row) => row.split('\t')).sort()).toEqual([
      ['editor', '2', '0', time, font, 'The editor is set in Iosevka'],
      ['font', '1', '0', time, font, 'The editor is set in Iosevka'],
      ['typeface', '1', '0', time, font, 'The editor is set in Iosevka'],
    ]);
  });

  test('forgets a word unasked, and all words after asking', async () => {
    await teach('typeface of my editor');
    await teach('editor font');
    expect(await person.run(['learned', 'forget', '--word', 'fonts'])).toMatchObject({ code: 0, out: 'Forgotten.\n' });
    expect(await words()).toEqual(['editor', 'typeface']);
    const refused = await person.run(['learned', 'forget'], { ...TTY, typed: 'n' });
    expect(refused).toMatchObject({ code: 1, questions: ['Forget all learned words? [y/N] '] });
    expect(await person.run(['learned', 'forget'])).toMatchObject({ code: 2 });
    expect(await words()).toEqual(['editor', 'typeface']);
    const { code, out } = await person.run(['learned', 'forget', '--yes', '--json']);
    expect([code, JSON.parse(out)]).toEqual([0, { forgotten: true }]);
    expect(await words()).toEqual([]);
  });

  test('switches the learning of words off and on', async () => {
    expect((await person.run(['learned', 'off'])).out).toBe('Words are not learned or used.\n');
    await teach('editor font');
    expect(await words()).toEqual([]);
    expect(JSON.parse((await person.run(['learned', 'on', '--json'])).out)).toEqual({ usesWords: true });
    await teach('editor font');
    expect(await words()).toEqual(['editor', 'font']);
  });

  test('switches inferred uses off and on', async () => {
    expect((await person.run(['learned', 'infer', 'off'])).out).toBe('Only feedback counts.\n');
    expect(JSON.parse((await person.run(['learned', 'infer', 'on', '--json'])).out)).toEqual({ infersUses: true });
    expect((await person.run(['learned', 'infer', 'maybe'])).code).toBe(2);
  });
});
