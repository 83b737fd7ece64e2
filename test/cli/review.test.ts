import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { render } from 'ink-testing-library';
import { createElement } from 'react';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { reviewAll } from '../../src/cli/review/review-session.ts';
import { ReviewCard, type ReviewCardProps, type ReviewKey } from '../../src/cli/ui/review-card.tsx';
import { createClient } from '../../src/client/client.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { newSuggesting, type Suggesting } from '../features/suggestions/suggestion-daemon.ts';
import { drawn } from './ink-turns.ts';
import { type CliUser, createCliUser } from './memory-harness.ts';

let daemon: MemoryDaemon;
let caller: Suggesting;
let person: CliUser;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  caller = await newSuggesting(daemon);
  person = await createCliUser(daemon.baseUrl, caller.apiKey, daemon.clock);
  return () => person.close();
});

async function suggestTwo() {
  const [eight, nine, cat, tabby] = await caller.addAll(
    ['The shop opens at eight', 'The shop opens at nine', 'Ada has a cat', 'A cat lives with Ada'].map((content) => ({
      content,
    })),
  );
  const evidence = [eight!, nine!].map(({ id, content }) => ({ id, text: content }));
  const older = await caller.suggest({
    kind: 'supersede',
    memoryIds: [eight!.id, nine!.id],
    evidence,
    reason: 'Another time.',
  });
  const same = await caller.suggest({ memoryIds: [cat!.id, tabby!.id] });
  return { eight: eight!, nine: nine!, older, same };
}

describe('svc review set', () => {
  const set = (...words: string[]) => person.run(['review', 'set', ...words]);

  test('shows what happens with each kind, and changes one', async () => {
    expect((await set()).out.split('\n').slice(0, 3)).toEqual([
      'add\treview\t',
      'merge\treview\t',
      'supersede\treview\t',
    ]);
    expect((await set('merge', 'automatic', '--from', '0.9')).out).toContain('merge\tautomatic\t0.90\n');
    const { merge, split } = JSON.parse((await set('split', 'off', '--json')).out);
    expect([merge, split]).toEqual([{ mode: 'automatic', minConfidence: 0.9, pausedUntil: null }, { mode: 'off' }]);
    const shown = (await person.run(['review', 'set'], { tty: true })).out;
    expect(shown).toContain('merge         automatic  from 0.90\n');
    expect(shown).toContain('contradiction review\n');
  });

  test.each([
    [['merge'], 'Say what happens with merge: review, automatic or off.'],
    [['contradiction', 'automatic'], 'Only a person can decide contradiction: choose review or off.'],
    [['merge', 'off', '--from', '0.9'], '--from goes with automatic.'],
    [['merge', 'automatic', '--from', '0.2'], 'It must be a number from 0.5 to 1.'],
    [['other', 'off'], 'Allowed choices are'],
  ])('refuses %j', async (words, message) => {
    const refused = await set(...words);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain(message);
  });
});

describe('svc review', () => {
  test('says so if there is nothing to review', async () => {
    expect((await person.run(['review'], { tty: true })).out).toBe(
      'Nothing to review. svc compares memories when they are stored.\n',
    );
    expect((await person.run(['review'])).out).toBe('');
  });

  test('lists what is open, for programs and for terminals without a screen', async () => {
    const { older, same } = await suggestTwo();
    const lines = (await person.run(['review'])).out.trimEnd().split('\n');
    expect(lines.map((line) => line.split('\t'))).toEqual([
      [same.id, 'merge', '0.50', 'They say the same'],
      [older.id, 'supersede', '0.50', 'Another time.', 'The shop opens at eight', 'The shop opens at nine'],
    ]);
    const { data } = JSON.parse((await person.run(['review', '--json'])).out);
    expect(data.map(({ id }: { id: string }) => id)).toEqual([same.id, older.id]);
    const shown = (await person.run(['review'], { tty: true })).out;
    expect(shown).toContain('Replace the older with the newer\n  The shop opens at eight\n  The shop opens at nine\n');
  });

  test('accepts, rejects and undoes by short ids, and reports what could not be decided', async () => {
    const { older, same, eight } = await suggestTwo();
    const done = await person.run(['review', '--accept', older.id.slice(-8), '--reject', same.id]);
    expect(done).toMatchObject({ code: 0, out: 'Decided 2 suggestions.\n' });
    expect((await caller.read(eight.id)).body.supersededBy).not.toBeNull();
    const again = await person.run(['review', '--accept', older.id]);
    expect(again).toMatchObject({ code: 1, err: `svc: ${older.id}: The suggestion was accepted already.\n` });
    const undone = await person.run(['review', '--undo', older.id, '--json']);
    expect(JSON.parse(undone.out).data[0].suggestion).toMatchObject({ id: older.id, state: 'open' });
    expect((await caller.read(eight.id)).body.supersededBy).toBeNull();
  });
});

describe('going through suggestions', () => {
  /** Presses keys one after the other and records what was shown. */
  async function review(keys: ReviewKey[], env: Record<string, string> = {}) {
    const shown: Omit<ReviewCardProps, 'onKey' | 'color'>[] = [];
    const client = createClient({ baseUrl: daemon.baseUrl, apiKey: caller.apiKey });
    const environment = { home: person.folder, platform: process.platform, cwd: person.folder, env };
    const pressed = keys.values();
    const outcome = await reviewAll(await caller.suggestions(), {
      client,
      context: { clock: daemon.clock, environment },
      show: async (card) => {
        shown.push(card);
        return pressed.next().value ?? { action: 'quit' };
      },
    });
    return { shown, outcome };
  }

  test('shows what stays and what goes, and decides with undo', async () => {
    const { eight } = await suggestTwo();
    const keys = (['next', 'accept', 'undo', 'accept', 'reject'] as const).map((action) => ({ action }));
    const { shown, outcome } = await review(keys);
    expect(shown[1]).toMatchObject({
      ...{ place: '2 of 2', title: 'Replace the older with the newer', reason: 'Another time.' },
      lines: [
        { mark: '-', text: expect.stringMatching(/^The shop opens at eight \(/) },
        { mark: '+', text: expect.stringMatching(/^The shop opens at nine \(/) },
      ],
    });
    expect(shown.map(({ notice }) => notice)).toEqual([
      '',
      '',
      'Accepted. Press u to undo.',
      'Undone.',
      'Accepted. Press u to undo.',
      'Rejected: it is not suggested again. Press u to undo.',
    ]);
    expect(shown.at(-1)).toMatchObject({ title: 'All decided.', isDone: true });
    expect(outcome).toEqual({ accepted: 1, rejected: 1, left: 0 });
    expect((await caller.read(eight.id)).body.supersededBy).not.toBeNull();
  });

  test('undoes the last decision, too', async () => {
    const { same } = await suggestTwo();
    const keys = (['reject', 'reject', 'undo', 'undo', 'next', 'reject', 'quit'] as const).map((action) => ({
      action,
    }));
    const { outcome } = await review(keys);
    expect(outcome).toEqual({ accepted: 0, rejected: 1, left: 1 });
    expect((await caller.suggestions()).map(({ id }) => id)).toEqual([same.id]);
  });

  test('prints nothing of an assistant that could control the terminal', async () => {
    const { id } = await caller.add('Ada has a cat');
    await caller.suggest({ kind: 'expire', memoryIds: [id], reason: 'Gone \u001b[2J\u001b]0;title\u0007\u202e' });
    const { shown } = await review([]);
    expect(JSON.stringify(shown)).toContain('Gone');
    expect(shown[0]!.reason).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    expect((await person.run(['review'])).out).not.toMatch(/[\u001b\u0007\u202e]/);
  });

  test('accepts another text from the editor', async () => {
    const { nine } = await suggestTwo();
    const editor = `node -e 'fs.writeFileSync(process.argv[1], "The shop opens at ten")'`;
    await review([{ action: 'next' }, { action: 'edit' }], { EDITOR: editor });
    expect((await caller.read(nine.id)).body.content).toBe('The shop opens at ten');
  });

  test('keeps a text from the editor that could not be stored, and says where', async () => {
    const { same, eight } = await suggestTwo();
    const editor = `node -e 'fs.writeFileSync(process.argv[1], "The shop opens at ten")'`;
    const environment = { home: '', platform: process.platform, cwd: '', env: { EDITOR: editor } };
    const client = createClient({ baseUrl: daemon.baseUrl, apiKey: caller.apiKey });
    const [, stale] = await caller.suggestions();
    await caller.change(eight.id, { content: 'The shop opens at half past eight' });
    const notices: string[] = [];
    await reviewAll([stale!, await client.suggestions.get(same.id)], {
      client,
      context: { clock: daemon.clock, environment },
      show: async ({ notice }) => {
        notices.push(notice);
        return { action: notices.length === 1 ? 'edit' : 'quit' };
      },
    });
    const [, path = ''] = /Your text is saved in (.+)$/.exec(notices[1]!) ?? [];
    expect(await readFile(path, 'utf8')).toBe('The shop opens at ten');
    await rm(dirname(path), { recursive: true });
  });

  test('lets a person choose which of two holds, and goes on where a suggestion is outdated', async () => {
    const { older, eight } = await suggestTwo();
    const [pixel, fairphone] = await caller.addAll([
      { content: 'My phone is a Pixel' },
      { content: 'My phone is a Fairphone' },
    ]);
    await caller.suggest({ kind: 'contradiction', memoryIds: [pixel!.id, fairphone!.id] });
    const keys: ReviewKey[] = [{ action: 'keep', number: 1 }, { action: 'next' }];
    const first = await review(keys);
    expect(first.shown[0]).toMatchObject({ choices: 2, lines: [{ mark: '1' }, { mark: '2' }] });
    expect((await caller.read(fairphone!.id)).body.supersededBy).toBe(pixel!.id);

    const client = createClient({ baseUrl: daemon.baseUrl, apiKey: caller.apiKey });
    const stale = [await client.suggestions.get(older.id)];
    await caller.change(eight.id, { content: 'The shop opens at half past eight' });
    const shown: string[] = [];
    const outcome = await reviewAll(stale, {
      client,
      context: { clock: daemon.clock, environment: { home: '', platform: process.platform, cwd: '', env: {} } },
      show: async ({ notice }) => {
        shown.push(notice);
        return { action: 'accept' };
      },
    });
    expect({ outcome, shown }).toEqual({ outcome: { accepted: 0, rejected: 0, left: 0 }, shown: [''] });
  });
});

describe('the card', () => {
  function show(choices: number, isDone = false) {
    const onKey = vi.fn();
    const card = {
      place: '1 of 2',
      title: 'Title',
      source: 'by rules, 80 % sure',
      reason: 'Because.',
      notice: '',
      choices,
      isDone,
    };
    const lines = [
      { mark: '-' as const, text: 'old' },
      { mark: '+' as const, text: 'new' },
    ];
    const { stdin, lastFrame } = render(createElement(ReviewCard, { ...card, lines, color: false, onKey }));
    const press = async (keys: string) => {
      for (const key of keys) {
        await drawn();
        stdin.write(key);
      }
      await drawn();
    };
    return { frame: () => (lastFrame() ?? '').split('\n').map((line) => line.trimEnd()), press, onKey };
  }

  test('shows the change and its keys', () => {
    expect(show(0).frame()).toEqual([
      ...['Title 1 of 2', '  - old', '  + new', 'Because. by rules, 80 % sure'],
      'a accept · e edit and accept · r reject · u undo · j next · k previous · q quit',
    ]);
  });

  test('offers to undo and to quit where all is decided', async () => {
    const { press, onKey, frame } = show(0, true);
    expect(frame().at(-1)).toBe('u undo · q quit');
    await press('aju');
    expect(onKey.mock.calls).toEqual([[{ action: 'undo' }]]);
  });

  test('takes a number where a person must choose, and no plain accept', async () => {
    const { press, onKey, frame } = show(2);
    expect(frame().at(-1)).toMatch(/^1–2 keep that one · r reject/);
    await press('a32');
    expect(onKey.mock.calls).toEqual([[{ action: 'keep', number: 2 }]]);
  });
});
