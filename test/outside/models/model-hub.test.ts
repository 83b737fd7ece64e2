import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemRandom } from '../../../src/lib/random.ts';
import { downloadCommit, missingBytes } from '../../../src/outside/models/model-download.ts';
import { createModelHub, HubFault, hubUrl, type ModelHub } from '../../../src/outside/models/model-hub.ts';
import { createCertificate, trust } from '../../helpers/certificate.ts';
import { startHttpsServer } from '../../helpers/https-server.ts';
import { MODEL_FILE, REVISION, startModelHub, type TestHub } from '../../helpers/model-hub.ts';

const LARGE = Buffer.alloc(3_000_000, 'vectors ');
const FILES = new Map([
  ['config.json', Buffer.from('{"model_type":"bert"}')],
  [MODEL_FILE, LARGE],
]);
const signal = new AbortController().signal;
let server: TestHub;
let hub: ModelHub;
let folder: string;

beforeAll(async () => {
  server = await startModelHub(FILES);
  hub = createModelHub(server.url);
});
afterAll(async () => {
  await hub.close();
  await server.close();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-download-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
  server.asked.length = 0;
  const initial = { cutAfter: [], ignoresRanges: false, content: undefined, status: undefined, redirect: undefined };
  Object.assign(server.state, { ...initial, stated: {} });
});

const describeAll = (from: ModelHub = hub) => from.describe('owner/model', [...FILES.keys()], signal);

const MANY_PAUSES = 100;

async function download(from: ModelHub = hub) {
  const pauses: number[] = [];
  const progress: number[] = [];
  await downloadCommit(from, await describeAll(), folder, {
    signal,
    random: systemRandom,
    onProgress: (_, bytes) => progress.push(bytes),
    async pause(ms) {
      if (pauses.push(ms) > MANY_PAUSES) throw new Error('It does not give up.');
    },
  });
  return { pauses, progress };
}

const faultOf = (work: Promise<unknown>): Promise<HubFault> =>
  work.then(
    () => expect.fail('did not fail'),
    (error) => {
      expect(error).toBeInstanceOf(HubFault);
      return error;
    },
  );

async function expectComplete() {
  for (const [path, content] of FILES) expect((await readFile(join(folder, path))).equals(content)).toBe(true);
  expect(await missingBytes(await describeAll(), folder)).toBe(0);
}

describe('a download', () => {
  test('takes the files of one commit, large ones from another host, and reports its progress', async () => {
    expect((await describeAll()).revision).toBe(REVISION);
    const { pauses, progress } = await download();
    await expectComplete();
    expect(server.ranges(MODEL_FILE)).toEqual([undefined]);
    expect(pauses).toEqual([]);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.at(-1)).toBe(LARGE.length + FILES.get('config.json')!.length);
  });

  test('that is cut off continues where it stopped', async () => {
    server.state.cutAfter = [1_000_000, 1_000_000];
    const { pauses } = await download();
    await expectComplete();
    const [first, ...next] = server
      .ranges(MODEL_FILE)
      .map((range) => Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0));
    expect(first).toBe(0);
    expect(next).toHaveLength(2);
    expect(next).toEqual(next.toSorted((a, b) => a - b));
    expect(next[0]).toBeGreaterThan(0);
    expect(pauses.map((ms) => ms >= 250 && ms <= 500)).toEqual([true, true]);
  });

  test('continues what an earlier one left', async () => {
    await mkdir(join(folder, 'onnx'));
    await writeFile(join(folder, `${MODEL_FILE}.part`), LARGE.subarray(0, 2_000_000));
    expect(await missingBytes(await describeAll(), folder)).toBe(1_000_000 + FILES.get('config.json')!.length);
    await download();
    await expectComplete();
    expect(server.ranges(MODEL_FILE)).toEqual(['bytes=2000000-']);
  });

  test('starts over where the server knows no ranges', async () => {
    Object.assign(server.state, { cutAfter: [1_000_000], ignoresRanges: true });
    await download();
    await expectComplete();
  });

  test('gives up after five tries that bring nothing', async () => {
    server.state.cutAfter = Array(10).fill(0);
    const { message } = await faultOf(download());
    expect(message).toMatch(/^http:\/\/127\.0\.0\.1:\d+ cannot be reached \(.+\)\. Check the network; behind a proxy /);
    expect(server.ranges(MODEL_FILE)).toHaveLength(5);
  });

  test('gives up where the network answers with a page of its own, whose length it does not state', async () => {
    async function* page() {
      yield Buffer.from('Sign in');
    }
    const { message } = await faultOf(download({ ...hub, read: async () => ({ offset: 0, body: page() }) }));
    expect(message).toMatch(/ did not send the \d+ bytes of config\.json that it states\. Try again later\.$/);
  });

  test('of another content is refused, and deleted', async () => {
    server.state.content = Buffer.alloc(LARGE.length, 'changed ');
    const { message } = await faultOf(download());
    expect(message).toMatch(/model_quantized\.onnx has the SHA-256 [0-9a-f]{64}, but the hub states [0-9a-f]{64}\. /);
    expect(await missingBytes(await describeAll(), folder)).toBe(LARGE.length);
    server.state.content = undefined;
    await download();
    await expectComplete();
  });

  test('of another size is refused before it begins', async () => {
    server.state.content = Buffer.concat([LARGE, LARGE]);
    const { message } = await faultOf(download());
    expect(message).toContain(`has 6000000 bytes at ${server.storageUrl}, but ${server.url} states 3000000.`);
    expect(await missingBytes(await describeAll(), folder)).toBe(LARGE.length);
  });

  test('follows no redirect to plain http elsewhere, and no endless ones', async () => {
    server.state.redirect = 'http://192.0.2.1/model.onnx';
    expect((await faultOf(download())).message).toContain('redirects to http://192.0.2.1, which is not https.');
    server.state.redirect = `${server.url}/owner/model/resolve/${REVISION}/${MODEL_FILE}`;
    expect((await faultOf(download())).message).toContain('redirects more than 5 times.');
  });

  test('over https follows no redirect to plain http on this machine', async () => {
    const certificate = await createCertificate(['IP:127.0.0.1']);
    const distrust = trust(certificate);
    const location = `${server.url}/api/models/owner/model/revision/main`;
    const secure = await startHttpsServer(certificate, (_, response) => response.writeHead(302, { location }).end());
    const secureHub = createModelHub(`https://127.0.0.1:${secure.port}`);
    try {
      const { message } = await faultOf(describeAll(secureHub));
      expect(message).toContain(`redirects to ${server.url}, which is not https.`);
      expect(server.asked).toEqual([]);
    } finally {
      distrust();
      await Promise.all([secureHub.close(), secure.close(), certificate.remove()]);
    }
  });

  test('ends when it is aborted, with the reason', async () => {
    const stop = new AbortController();
    const reason = new Error('canceled');
    const commit = await describeAll();
    const stopped = downloadCommit(hub, commit, folder, {
      signal: stop.signal,
      random: systemRandom,
      onProgress: (file) => file.path === MODEL_FILE && stop.abort(reason),
      pause: async () => {},
    });
    await expect(stopped).rejects.toBe(reason);
  });
});

describe('a hub', () => {
  test.each<[number, RegExp, boolean]>([
    [404, /does not offer owner\/model \(status 404\)\. Set SVC_MODEL_HUB to a mirror that has it, or /, false],
    [401, /does not offer owner\/model \(status 401\)\. /, false],
    [503, /answered the request for owner\/model with status 503\. Try again later\.$/, true],
  ])('that answers %i is explained', async (status, message, isTransient) => {
    server.state.status = status;
    const fault = await faultOf(describeAll());
    expect(fault.message).toMatch(message);
    expect(fault.isTransient).toBe(isTransient);
  });

  test('that answers something else, or lacks a file, is explained', async () => {
    server.state.status = 200;
    expect((await faultOf(describeAll())).message).toContain('does not respond like a model hub. Set SVC_MODEL_HUB ');
    server.state.status = undefined;
    const { message } = await faultOf(hub.describe('owner/model', ['model.bin'], signal));
    expect(message).toBe(
      `${server.url}/owner/model has no file model.bin. Set SVC_MODEL_HUB to a mirror that has it, or place the files yourself (docs/models.md).`,
    );
  });

  test.each([
    ['a hash that would control the terminal', { lfs: undefined, oid: '\u001b]0;title\u0007' }],
    ['a SHA-256 that is none', { lfs: { oid: '\u001b[2J' } }],
    ['a negative size', { size: -1 }],
    ['an empty file', { size: 0 }],
  ])('that states %s is refused before anything is downloaded', async (_, stated) => {
    server.state.stated = stated;
    expect((await faultOf(download())).message).toContain('does not respond like a model hub.');
    expect(server.ranges(MODEL_FILE)).toEqual([]);
  });

  test('that cannot be reached is explained', async () => {
    const nowhere = createModelHub('http://127.0.0.1:1');
    const { message } = await faultOf(describeAll(nowhere));
    expect(message).toMatch(/^http:\/\/127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)\. Check the network; /);
    await nowhere.close();
  });

  test.each([
    ['https://hf.example.com/', 'https://hf.example.com'],
    ['https://example.com/mirrors/hf', 'https://example.com/mirrors/hf'],
    ['http://localhost:8080', 'http://localhost:8080'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
  ])('may be %s', (text, url) => expect(hubUrl(text)).toBe(url));

  test.each([
    ['http://hf.example.com', /^must be an https URL \(http only on this machine\)/],
    ['http://127.evil.example', /^must be an https URL/],
    ['ftp://example.com', /^must be an https URL/],
    ['nonsense', /^must be an https URL/],
    ['https://user:secret@example.com', /^must be a URL without user, parameters and fragment$/],
    ['https://example.com/?a=b', /^must be a URL without user/],
  ])('may not be %s', (text, message) => expect(() => hubUrl(text)).toThrow(message));
});
