import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FetchResponse, Space, SpaceLogEntry } from '../../src/client/client.ts';
import { SCOPES } from '../../src/contract/scopes.ts';
import { SPACE_ACTIONS } from '../../src/contract/spaces.ts';
import { describeEntry } from '../../src/dashboard/views/spaces/space-words.ts';

const TEAM = `ten_${'a'.repeat(32)}`;
const OTHER = `ten_${'b'.repeat(32)}`;
const assign = vi.fn();
const pushState = vi.fn();

beforeEach(() => {
  vi.resetModules();
  assign.mockReset();
  pushState.mockReset();
  vi.stubGlobal('history', { pushState });
});
afterEach(() => void vi.unstubAllGlobals());

async function pageAt(path: string, search = '') {
  const href = `http://127.0.0.1:8787${path}${search}`;
  vi.stubGlobal('location', { href, pathname: path, search, assign });
  return import('../../src/dashboard/router.ts');
}

test('every address that the page makes stays in its space', async () => {
  const { hrefOf, hrefWith, spaceOfPage } = await pageAt('/dashboard/memories', `?space=${TEAM}&q=tea`);
  expect(spaceOfPage).toBe(TEAM);
  expect(hrefOf('recall')).toBe(`/dashboard/recall?space=${TEAM}`);
  expect(hrefWith({ q: undefined })).toBe(`/dashboard/memories?space=${TEAM}`);
  expect(hrefOf('home', { space: undefined })).toBe('/dashboard');
});

test.each([OTHER, undefined])('another space (%s) is another load of the page', async (space) => {
  const { navigate } = await pageAt('/dashboard/memories', `?space=${TEAM}`);
  navigate('memories', { space });
  expect(assign).toHaveBeenCalledExactlyOnceWith(`/dashboard/memories${space ? `?space=${space}` : ''}`);
  expect(pushState).not.toHaveBeenCalled();
  navigate('recall');
  expect(pushState).toHaveBeenCalledOnce();
});

test.each(SCOPES)('offers what the scope %s includes, and nothing more', async (held) => {
  await pageAt('/dashboard');
  const { may, scope } = await import('../../src/dashboard/space.ts');
  scope.value = held;
  expect(SCOPES.filter(may)).toEqual(SCOPES.slice(0, SCOPES.indexOf(held) + 1));
});

test('memories are copied only into spaces that the account may write to, other than that of the page', async () => {
  await pageAt('/dashboard', `?space=${TEAM}`);
  const { spaces, writableSpaces } = await import('../../src/dashboard/space.ts');
  const space = (id: string, role: Space['role'], state: Space['state'] = 'joined') => ({ id, name: id, role, state });
  spaces.value = [
    space(TEAM, 'owner'),
    space('w', 'writer'),
    space('r', 'reader'),
    space('i', 'owner', 'invited'),
  ] as Space[];
  expect(writableSpaces.value.map(({ id }) => id)).toEqual(['w']);
});

test.each([
  [200, 0],
  [401, 1],
  [403, 1],
  [404, 1],
  [409, 0],
  [503, 0],
])('a response of %i tells %i times that the membership may have changed', async (status, times) => {
  await pageAt('/dashboard');
  const { noticingRefusals } = await import('../../src/dashboard/space.ts');
  const onRefusal = vi.fn();
  const fetch = noticingRefusals(async () => ({ status }) as FetchResponse, onRefusal);
  await fetch('http://127.0.0.1/v1/memories', { method: 'GET' } as never);
  expect(onRefusal).toHaveBeenCalledTimes(times);
});

test('the log says every action in words, with whom and what it concerns', () => {
  const entry = { id: 'log_1', at: '2026-11-27T04:00:00Z', actor: 'ada@example.com', subject: 'lin', detail: '3' };
  const said = SPACE_ACTIONS.map((action) => describeEntry({ ...entry, action } as SpaceLogEntry));
  expect(new Set(said).size).toBe(SPACE_ACTIONS.length);
  expect(said).toContain('made lin 3');
  expect(describeEntry({ ...entry, action: 'copied', detail: '1' })).toBe('copied a memory into it');
});
