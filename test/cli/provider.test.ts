import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { type ProviderServer, startProviderServer } from '../helpers/providers/server.ts';
import { freshAddress } from '../helpers/sign-in.ts';
import { type CliUser, createCliUser, type RunResult } from './memory-harness.ts';

/** `svc provider` against a daemon and a fake provider. */

const KEY = 'sk-test-0123456789abcdefghij';
const TTY = { tty: true };
let openai: ProviderServer;
let daemon: TestDaemon;
let person: CliUser;
let stranger: CliUser;

beforeAll(async () => {
  openai = await startProviderServer('openai', { key: KEY });
  daemon = await startTestDaemon({ config: { providerHosts: [openai.allowed] } });
  stranger = await newUser();
});
beforeEach(async () => {
  openai.reset();
  person = await newUser();
  return person.close;
});
afterAll(async () => {
  await Promise.all([stranger.close(), daemon.close(), openai.close()]);
});

async function newUser(): Promise<CliUser> {
  const { apiKey } = await makeTenant(daemon, freshAddress());
  return createCliUser(daemon.baseUrl, apiKey, daemon.clock);
}

const add = (...more: string[]) => ['provider', 'add', 'openai', '--base-url', openai.baseUrl, ...more];
const listed = async () => JSON.parse((await person.run(['provider', 'list', '--json'])).out).data;
const allText = ({ out, err, questions }: RunResult) => [out, err, ...questions].join('\n');

describe('svc provider add', () => {
  test('prompts for the key without echo, and reports the result of the check', async () => {
    const ran = await person.run(add(), { ...TTY, typed: KEY });
    expect(ran).toMatchObject({ code: 0, hidden: ['Key for openai (not shown): '] });
    expect(ran.out).toContain(`✓ openai accepts the key …${KEY.slice(-4)}`);
    expect(ran.out).toContain('2 models: gpt-4.1-mini, text-embedding-3-small');
    expect(allText(ran)).not.toContain(KEY);
  });

  test('reads the key from standard input without a terminal', async () => {
    const ran = await person.run(add('--json', '--model', 'gpt-4.1-mini'), { stdin: `${KEY}\n` });
    expect(JSON.parse(ran.out)).toMatchObject({ provider: 'openai', status: 'valid', models: ['gpt-4.1-mini'] });
    expect(ran).toMatchObject({ code: 0, questions: [] });
    expect(allText(ran)).not.toContain(KEY);
  });

  test.each([
    ['after the provider', ['provider', 'add', 'openai', KEY]],
    ['in the place of the provider', ['provider', 'add', KEY]],
    ['before the provider', ['provider', 'add', KEY, 'openai']],
    ['as --key', ['provider', 'add', 'openai', '--key', KEY]],
    ['as --api-key=', ['provider', 'add', 'openai', `--api-key=${KEY}`]],
  ])('rejects a key given %s, with advice, without repeating it', async (_where, words) => {
    const ran = await person.run(words, { stdin: KEY });
    expect(ran.code).toBe(2);
    expect(ran.err).toContain("your shell's history");
    expect(ran.err).toContain('replace it at the provider');
    expect(allText(ran)).not.toContain(KEY);
    expect(openai.requests).toEqual([]);
  });

  test.each([
    ['as an option of another name', ['provider', 'add', 'openai', `--token=${KEY}`]],
    ['after another command', ['provider', 'use', 'embedding', KEY, 'x']],
    ['as a command', ['provider', KEY]],
  ])('usage errors do not repeat a word that may be a key: %s', async (_where, words) => {
    const ran = await person.run(words);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('error:');
    expect(allText(ran)).not.toContain(KEY);
  });

  test('a key that the provider rejects is not stored, and the existing one stays', async () => {
    await person.run(add(), { stdin: KEY });
    const before = await listed();
    const ran = await person.run(add(), { ...TTY, typed: 'sk-wrong-0123456789' });
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain('The provider rejected this key');
    expect(ran.err).toContain('The key was not stored.');
    expect(allText(ran)).not.toContain('sk-wrong');
    expect(await listed()).toEqual(before);
  });

  test('a key is stored as unverified if the provider is unreachable', async () => {
    openai.next({ status: 503 });
    const ran = await person.run(add(), { ...TTY, typed: KEY });
    expect(ran.code).toBe(0);
    expect(ran.out).toMatch(/^! /);
    expect(ran.out).toContain('stored as unverified');
    expect((await listed())[0]).toMatchObject({ status: 'unverified' });
  });

  test('a missing key is a usage error, except for providers that need none', async () => {
    expect(await person.run(add(), { stdin: '\n' })).toMatchObject({ code: 2, out: '' });
    const spaced = await person.run(add(), { stdin: 'two words' });
    expect(spaced).toMatchObject({ code: 2, err: expect.not.stringContaining('two words') });
    const free = await startProviderServer('openai-compatible');
    const elsewhere = await startTestDaemon({ config: { providerHosts: [free.allowed] } });
    const { apiKey } = await makeTenant(elsewhere, 'free@example.com');
    const guest = await createCliUser(elsewhere.baseUrl, apiKey);
    const words = ['provider', 'add', 'openai-compatible'];
    expect(await guest.run(words, TTY)).toMatchObject({ code: 2, err: expect.stringContaining('--base-url') });
    const added = await guest.run([...words, '--base-url', free.baseUrl], { ...TTY, typed: '' });
    expect(added).toMatchObject({ code: 0, out: expect.stringContaining('2 models') });
    await Promise.all([guest.close(), elsewhere.close(), free.close()]);
  });

  test('rejects an address that svc may not call', async () => {
    const words = ['provider', 'add', 'openai', '--base-url', 'http://10.1.2.3/v1'];
    const ran = await person.run(words, { stdin: KEY });
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('SVC_PROVIDER_HOSTS') });
  });

  test('an unknown provider is a usage error that lists the known ones', async () => {
    const ran = await person.run(['provider', 'add', 'acme'], { stdin: KEY });
    expect(ran).toMatchObject({ code: 2, err: expect.stringContaining('openai, anthropic, google') });
  });
});

describe('svc provider', () => {
  test('list shows the last four characters of keys, only to their owner', async () => {
    await person.run(add(), { stdin: KEY });
    const { out } = await person.run(['provider', 'list'], TTY);
    expect(out).toMatch(new RegExp(`^openai {2}…${KEY.slice(-4)} {2}valid\n {8}at ${openai.baseUrl}\n`));
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    const row = (await person.run(['provider', 'list'])).out;
    expect(row).toBe(`openai\t${KEY.slice(-4)}\tvalid\tok\t${openai.baseUrl}\tgpt-4.1-mini,text-embedding-3-small\n`);
    expect((await stranger.run(['provider', 'list'], TTY)).out).toContain('Add one: svc provider add openai');
    expect(await stranger.run(['provider', 'list'])).toMatchObject({ out: '', code: 0 });
  });

  test('colors carry no meaning that words do not', async () => {
    await person.run(add(), { stdin: KEY });
    const plain = (await person.run(['provider', 'list'], TTY)).out;
    const colored = (await person.run(['provider', 'list'], { ...TTY, color: true })).out;
    expect(colored).toContain('\u001b[32mvalid');
    expect(colored.replace(/\u001b\[\d+m/g, '')).toBe(plain);
  });

  test('check asks the provider and exits with the result', async () => {
    await person.run(add(), { stdin: KEY });
    expect(await person.run(['provider', 'check', 'openai'])).toMatchObject({ code: 0 });
    openai.next({ status: 503 });
    const away = await person.run(['provider', 'check', 'openai'], TTY);
    expect(away).toMatchObject({ code: 1, out: expect.stringContaining('It was valid before and remains in use') });
    expect(await stranger.run(['provider', 'check', 'openai'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('This account has no key for openai'),
    });
  });

  test('use chooses models, and none clears the choice', async () => {
    await person.run(add(), { stdin: KEY });
    const use = (...words: string[]) => person.run(['provider', 'use', ...words]);
    const chosen = await use('embedding', 'openai', 'text-embedding-3-small');
    expect(chosen.out).toMatch(/Embedding +openai text-embedding-3-small/);
    expect(chosen.err).toContain('is sent to openai');
    const json = await use('extraction', 'openai', 'gpt-4.1-mini', '--json');
    expect(JSON.parse(json.out).extraction.model).toEqual({ provider: 'openai', model: 'gpt-4.1-mini' });
    expect((await use('embedding', 'none')).out).toMatch(/Embedding +none chosen/);
    expect(await use('embedding', 'openai')).toMatchObject({ code: 2 });
    expect(await use('embedding', 'mistral', 'mistral-embed')).toMatchObject({
      code: 1,
      err: expect.stringContaining('This account has no key for mistral'),
    });
  });

  test('settings shows and changes the settings', async () => {
    const settings = (...words: string[]) => person.run(['provider', 'settings', ...words], TTY);
    expect((await settings()).out).toMatch(/On append +off/);
    const { out } = await settings(
      '--on-append',
      'on',
      '--daily-tokens',
      '5000',
      '--price',
      '0.4/1.6',
      '--daily-spend',
      '2',
    );
    expect(out).toMatch(/On append +on/);
    expect(out).toContain('0 of 5,000 today');
    expect(out).toContain('0.4 in, 1.6 out per million tokens');
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    const back = await settings(
      '--on-append',
      'off',
      '--daily-tokens',
      'none',
      '--daily-spend',
      'none',
      '--price',
      'none',
      '--json',
    );
    expect(back.err).toBe('');
    expect(JSON.parse(back.out).extraction).toMatchObject({ onAppend: false, dailyTokens: null, dailySpend: null });
    for (const wrong of [
      ['--daily-tokens', '1.5'],
      ['--price', '3'],
      ['--daily-spend', 'much'],
      ['--on-append', 'x'],
    ]) {
      expect(await settings(...wrong)).toMatchObject({ code: 2 });
    }
  });

  test.each(['--daily-tokens', '--daily-spend', '--on-append'])(
    'names the option that has a wrong value: %s',
    async (option) => {
      const { code, err } = await person.run(['provider', 'settings', option, 'a-key-of-twenty-characters']);
      expect(code).toBe(2);
      expect(err).toContain(`error: option '${option} <`);
      expect(err).not.toContain('a-key');
    },
  );

  test('remove asks first, and requires --yes without a terminal', async () => {
    await person.run(add(), { stdin: KEY });
    const remove = ['provider', 'remove', 'openai'];
    expect(await person.run(remove)).toMatchObject({ code: 2 });
    const declined = await person.run(remove, { ...TTY, typed: 'n' });
    expect(declined).toMatchObject({ code: 1, questions: [`Remove the key …${KEY.slice(-4)} for openai? [y/N] `] });
    expect(await listed()).toHaveLength(1);
    expect(await person.run(remove, { ...TTY, typed: 'y' })).toMatchObject({ code: 0 });
    expect(await listed()).toEqual([]);
    expect(await person.run([...remove, '--yes'])).toMatchObject({ code: 1 });
  });

  test('exits with 3 if not signed in', async () => {
    const nobody = await createCliUser(daemon.baseUrl, undefined);
    for (const words of [add(), ['provider', 'list'], ['jobs']]) {
      expect(await nobody.run(words, { stdin: KEY })).toMatchObject({ code: 3 });
    }
    await nobody.close();
  });
});
