import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { loadDashboardFiles } from '../../src/daemon/dashboard.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startTestDaemon();
  daemon.clock.freeze();
});
afterAll(() => daemon.close());
beforeEach(() => daemon.clock.advance(120_000));

const OTHERS = ['/llms.txt', '/docs', '/docs/reference.js', '/docs/reference.css'];

const get = (path: string) => daemon.call(undefined, path);
const remaining = async (path: string) => Number((await get(path)).headers.get('x-ratelimit-remaining'));

describe('the files of the web app and of the API reference', () => {
  test('take no token of their address, however often they are loaded', async () => {
    const { text } = await get('/dashboard');
    const assets = [...text.matchAll(/(?:src|href)="(\/dashboard\/[^"]+)"/g)].map(([, path]) => path!);
    expect(assets.length).toBeGreaterThan(2);
    const loads = Array.from({ length: 10 }, () => ['/dashboard', ...assets]).flat();
    const others = [...(await loadDashboardFiles(inject('dashboardFolder'))).keys(), ...OTHERS];
    const answers = await Promise.all([...loads, ...others].map(get));
    const seen = answers.map(({ status, headers }) => `${status} ${headers.get('x-ratelimit-remaining')}`);
    expect(new Set(seen)).toEqual(new Set(['200 120']));
    expect(await remaining('/v1/openapi.json')).toBe(119);
  });

  test('are reached with a slash at the end, too, in the space that the address names', async () => {
    const locationOf = async (path: string) =>
      (await fetch(daemon.baseUrl + path, { redirect: 'manual' })).headers.get('location');
    expect(await locationOf('/dashboard/?space=ten_1&user=ada')).toBe('/dashboard?space=ten_1&user=ada');
    expect(await locationOf('/')).toBe('/dashboard');
  });

  test('say to a browser that an address has no view, and to a program that it has no resource', async () => {
    const page = await get('/dashboard');
    const none = await daemon.call(undefined, '/dashboard/nonsense/x', { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect([none.status, none.headers.get('content-type'), none.text]).toEqual([
      404,
      'text/html; charset=utf-8',
      page.text,
    ]);
    expect((await get('/dashboard/nonsense')).body).toMatchObject({ status: 404, code: 'not_found' });
  });

  test('are served to an address that has no token left, which everything else refuses', async () => {
    await Promise.all(Array.from({ length: 120 }, () => get('/v1/auth/callback')));
    expect((await get('/v1/openapi.json')).status).toBe(429);
    const { status, headers } = await get('/dashboard');
    expect([status, headers.get('x-ratelimit-remaining')]).toEqual([200, '0']);
    expect((await get('/dashboard/nothing.js')).status).toBe(429);
  });
});
