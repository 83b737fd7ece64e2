import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { version } from '../features/portability/portable-account.ts';
import { type ApiAnswer, callAt, type DaemonProcess, signInAt } from '../helpers/process.ts';
import { fromElsewhere } from '../helpers/sign-in.ts';

/** Where a write goes: to a daemon that may die, as one account. */
export interface Site {
  daemon: DaemonProcess;
  apiKey: string;
  /** Where provider keys are checked. */
  providerUrl: string;
}

/** Checks, against the restarted daemon, that a write is still there. */
export type Check = (site: Site) => Promise<void>;

/** Does one write and returns how to check it; rejects if the daemon dies first. `name` is unique. */
export type Write = (site: Site, name: string) => Promise<Check>;

const call = ({ daemon, apiKey }: Site, path: string, options?: Parameters<typeof callAt>[3]): Promise<ApiAnswer> =>
  callAt(daemon.url, apiKey, path, options);

/** Fails unless the response has this status. */
async function must(site: Site, status: number, path: string, options?: Parameters<typeof callAt>[3]) {
  const answer = await call(site, path, options);
  expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).toBe(status);
  return answer.body;
}

const createMemory = async (site: Site, content: string): Promise<string> =>
  String((await must(site, 201, '/v1/memories', { body: { content } })).id);

const createConversation = async (site: Site, name: string) => {
  const id = String((await must(site, 201, '/v1/conversations', { body: { title: name } })).id);
  const messages = [
    { role: 'user', content: `${name} said one thing` },
    { role: 'user', content: 'and another' },
  ];
  const { data } = await must(site, 201, `/v1/conversations/${id}/messages`, { body: { messages } });
  return { id, messageIds: (data as { id: string }[]).map((message) => message.id) };
};

const expectContents = async (site: Site, ids: readonly string[], contents: readonly string[]): Promise<void> => {
  for (const [index, id] of ids.entries()) {
    const { status, body } = await call(site, `/v1/memories/${id}`);
    expect({ status, content: body.content }).toEqual({ status: 200, content: contents[index] });
  }
};

/** Every kind of write that a client may rely on once it is acknowledged. */
export const WRITES: Record<string, Write> = {
  async patch(site, name) {
    const id = await createMemory(site, `${name} before`);
    await must(site, 200, `/v1/memories/${id}`, { method: 'PATCH', body: { content: `${name} after` } });
    return (again) => expectContents(again, [id], [`${name} after`]);
  },

  async delete(site, name) {
    const id = await createMemory(site, `${name} for now`);
    await must(site, 204, `/v1/memories/${id}`, { method: 'DELETE' });
    return async (again) => expect((await call(again, `/v1/memories/${id}`)).status).toBe(404);
  },

  async append(site, name) {
    const { id, messageIds } = await createConversation(site, name);
    return async (again) => {
      for (const messageId of messageIds) await must(again, 200, `/v1/conversations/${id}/messages/${messageId}`);
    };
  },

  /** Several transactions: the messages are stored with the first, and indexed by all. Few, because every start checks the file. */
  async 'long append'(site, name) {
    await sleep(500);
    const { id } = await createConversation(site, name);
    const word = name.replaceAll(/[^a-z0-9]/gi, '');
    const messages = Array.from({ length: 24 }, (_, index) => {
      return { role: 'user', content: `${word}x${index} ${'oolong '.repeat(280)}` };
    });
    await must(site, 201, `/v1/conversations/${id}/messages`, { body: { messages } });
    return async (again) => {
      const { results } = await must(again, 200, '/v1/search', { body: { query: `${word}x23` } });
      expect((results as { content: string }[])[0]?.content).toContain(`${word}x23 `);
    };
  },

  async batch(site, name) {
    const contents = Array.from({ length: 20 }, (_, index) => `${name} in place ${index}`);
    const body = { memories: contents.map((content) => ({ content })) };
    const { data } = await must(site, 201, '/v1/memories/batch', { body });
    const ids = (data as { id: string }[]).map(({ id }) => id);
    return (again) => expectContents(again, ids, contents);
  },

  async import(site, name) {
    const contents = Array.from({ length: 5 }, (_, index) => `${name} from a file ${index}`);
    const versions = contents.map((content) => version({ content }));
    const { status, body } = await call(site, '/v1/import', {
      body: versions.map((one) => JSON.stringify(one)).join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect([status, body.added], JSON.stringify(body)).toEqual([200, expect.objectContaining({ memories: 5 })]);
    return (again) =>
      expectContents(
        again,
        versions.map(({ id }) => id),
        contents,
      );
  },

  async 'provider key'(site, name) {
    const body = { key: `sk-of-${name}`, baseUrl: site.providerUrl };
    const { updatedAt } = await must(site, 200, '/v1/provider-keys/openai', { method: 'PUT', body });
    return async (again) => {
      const now = await must(again, 200, '/v1/provider-keys/openai');
      expect(String(now.updatedAt) >= String(updatedAt)).toBe(true);
    };
  },

  async job(site, name) {
    const { id } = await createConversation(site, name);
    const { jobId } = await must(site, 202, `/v1/conversations/${id}/extract`, { body: {} });
    return async (again) => void (await must(again, 200, `/v1/jobs/${jobId}`));
  },

  async 'key rotation'(site, name) {
    const signIn = () => signInAt(site.daemon, addressOf(name), fromElsewhere());
    const [old, current] = [await signIn(), await signIn()];
    return async (again) => {
      await must({ ...again, apiKey: old }, 401, '/v1/account');
      await must({ ...again, apiKey: current }, 200, '/v1/account');
    };
  },

  /** Checked once all are due: a mail in flight at a kill waits for its next attempt. */
  async mail(site, name) {
    await must(site, 202, '/v1/auth/magic-link', { body: { email: addressOf(name) }, headers: fromElsewhere() });
    return async () => {};
  },
};

/** Where the mail of a write goes. */
export const addressOf = (name: string): string => `${name}@example.com`;
