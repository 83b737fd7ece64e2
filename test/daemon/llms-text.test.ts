import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startOAuthDaemon } from '../features/oauth/oauth-flow.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

const PUBLIC_URL = 'https://memory.example.com';

let local: TestDaemon;
let hosted: TestDaemon;

beforeAll(async () => {
  local = await startTestDaemon();
  hosted = await startOAuthDaemon({ config: { publicUrl: PUBLIC_URL } });
});
afterAll(async () => {
  await local.close();
  await hosted.close();
});

const read = async (daemon: TestDaemon, headers: Record<string, string> = {}) =>
  daemon.call(undefined, '/llms.txt', { headers });

interface Link {
  section: string;
  title: string;
  url: string;
}

/** Reads the file as llmstxt.org describes it: heading, quote, details, then sections of nothing but links. */
function parse(text: string): { title: string; summary: string; details: string; links: Link[] } {
  const [, title, summary, details, sections] = /^# (.+)\n\n> (.+)\n\n((?:(?!#).*\n)*)((?:.*\n)*)$/.exec(text)!;
  const links = sections!
    .split(/^## /m)
    .slice(1)
    .flatMap((section): Link[] => {
      const [name, blank, ...lines] = section.trimEnd().split('\n');
      expect(blank).toBe('');
      return lines.map((line) => {
        const [, label, url] = /^- \[([^\]]+)\]\((\S+)\): \S.+$/.exec(line) ?? expect.fail(`not a link: ${line}`);
        return { section: name!, title: label!, url: url! };
      });
    });
  return { title: title!, summary: summary!, details: details!, links };
}

describe('/llms.txt', () => {
  test('names the daemon and has sections of links, the optional ones last', async () => {
    const { title, summary, links } = parse((await read(local)).text);
    expect(title).toBe('svc');
    expect(summary).toContain('memory');
    expect([...new Set(links.map(({ section }) => section))]).toEqual(['REST', 'MCP', 'Web app', 'Optional']);
  });

  test('links to what there is, at the address of the daemon', async () => {
    for (const daemon of [local, hosted]) {
      const { links } = parse((await read(daemon)).text);
      const own = links.filter(({ section }) => section !== 'Optional').map(({ url }) => new URL(url));
      expect(own.length).toBeGreaterThan(6);
      for (const { origin, pathname, search } of own) {
        expect(origin).toBe(daemon.publicUrl);
        const isMcp = pathname === '/v1/mcp';
        const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
        const answer = await daemon.call(undefined, pathname + search, isMcp ? { body } : {});
        expect([pathname, answer.status]).toEqual([pathname, isMcp ? 401 : 200]);
      }
    }
  });

  test('mentions OAuth only where it is on', async () => {
    expect((await read(local)).text).not.toContain('OAuth');
    const { details, links } = parse((await read(hosted)).text);
    expect(details).toContain('OAuth');
    expect(links.map(({ title }) => title)).toContain('OAuth metadata');
  });

  test('is Markdown that caches may keep, under the headers of other public pages', async () => {
    const { status, headers } = await read(hosted);
    const dashboard = await hosted.call(undefined, '/dashboard');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(headers.get('set-cookie')).toBeNull();
    for (const name of ['content-security-policy', 'x-content-type-options', 'x-frame-options', 'referrer-policy']) {
      expect([name, headers.get(name)]).toEqual([name, dashboard.headers.get(name)]);
    }
    const etag = headers.get('etag')!;
    expect((await read(hosted, { 'if-none-match': etag })).status).toBe(304);
    expect((await read(local, { 'if-none-match': etag })).status).toBe(200);
  });

  test('is the same for everybody, whatever address they ask by', async () => {
    const { apiKey } = await hosted.signIn('reader@example.com');
    const { text } = await read(hosted);
    expect((await hosted.call(apiKey, '/llms.txt')).text).toBe(text);
    expect((await read(hosted, { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' })).text).toBe(text);
    expect(text).not.toMatch(/reader@|evil|svc_live_[0-9a-f]/);
  });
});
