import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterEach, expect, test, vi } from 'vitest';
import { freePort } from '../helpers/free-port.ts';
import { MASTER_KEY } from '../helpers/postgres/folder-databases.ts';
import { startPostgres } from '../helpers/postgres/server.ts';
import { createWorkplaces } from '../helpers/process.ts';

const CADDYFILE = fileURLToPath(new URL('../../deploy/Caddyfile', import.meta.url));

const places = createWorkplaces();
afterEach(places.clean);

interface Call {
  method?: string;
  body?: string;
  headers?: Record<string, string>;
}

/** Starts Debian's Caddy with the Caddyfile of the Compose file, its own authority, and an svc at `upstream`. */
async function startCaddy(publicUrl: string, upstream: string) {
  const folder = await places.folder();
  const file = join(folder, 'Caddyfile');
  const port = await freePort();
  const global = ['admin off', 'skip_install_trust', `http_port ${port}`, 'auto_https disable_redirects'];
  await writeFile(file, `{\n${global.join('\n')}\n}\nimport ${CADDYFILE}\n`);
  const env = { SVC_DOMAIN: publicUrl, SVC_UPSTREAM: upstream, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const args = ['run', '--config', file, '--adapter', 'caddyfile'];
  const running = execa('caddy', args, { env, reject: false, cwd: folder });
  places.endLater({
    async end() {
      running.kill('SIGKILL');
      await running;
    },
  });
  const ca = await vi.waitFor(() => readFile(join(folder, 'caddy/pki/authorities/local/root.crt')), 20_000);

  function open(path: string, { method = 'GET', body, headers = {} }: Call = {}) {
    return new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      const call = request(publicUrl + path, { method, headers, ca, agent: false }, resolve);
      call.on('error', reject);
      call.end(body);
    });
  }
  async function call(path: string, options?: Call) {
    const answer = await open(path, options);
    return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
  }
  await vi.waitFor(async () => expect((await call('/readyz')).status).toBe(200), 20_000);
  return { open, call };
}

const json = { 'content-type': 'application/json' };

test("with the Compose file's Caddyfile in front of PostgreSQL, sign-in, streams, body limits and addresses of clients are right", async () => {
  const server = await startPostgres();
  places.endLater({ end: server.close });
  const publicUrl = `https://localhost:${await freePort()}`;
  const port = String(await freePort());
  const env = {
    SVC_DATABASE_URL: await server.createDatabase(),
    SVC_MASTER_KEY: MASTER_KEY.toString('base64'),
    SVC_PORT: port,
    SVC_PUBLIC_URL: publicUrl,
    SVC_TRUST_PROXY: 'loopback',
  };
  const daemon = await places.start({ dataDir: await places.folder(), env });
  const { open, call } = await startCaddy(publicUrl, `127.0.0.1:${port}`);

  const forged = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-host': 'evil.example', 'x-real-ip': '203.0.113.9' };
  const email = JSON.stringify({ email: 'ada@example.com' });
  const headers = { ...json, ...forged };
  expect((await call('/v1/auth/magic-link', { method: 'POST', body: email, headers })).status).toBe(202);
  const link = new URL(await daemon.mailbox.latestLink('ada@example.com'));
  expect(link.origin).toBe(publicUrl);
  const signedIn = await call(link.pathname, {
    method: 'POST',
    body: link.searchParams.toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...forged },
  });
  expect(signedIn.status).toBe(303);
  expect(signedIn.headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains');
  expect(signedIn.headers['set-cookie']).toContainEqual(expect.stringMatching(/^__Host-svc=.*; Secure/));
  const apiKey = /#key=(svc_live_\w+)/.exec(signedIn.headers.location ?? '')![1];
  const authorization = { authorization: `Bearer ${apiKey}` };
  const { data } = JSON.parse((await call('/v1/connections', { headers: authorization })).text);
  expect(data).toMatchObject([{ address: '127.0.0.1' }]);

  const events = await open('/v1/events', { headers: { ...authorization, accept: 'text/event-stream' } });
  let stream = '';
  events.on('data', (chunk) => {
    stream += String(chunk);
  });
  const memory = JSON.stringify({ content: 'Ada is behind a proxy.' });
  const added = await call('/v1/memories', { method: 'POST', body: memory, headers: { ...json, ...authorization } });
  await vi.waitFor(() => expect(stream).toContain(JSON.parse(added.text).id));
  events.destroy();

  const tools = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const accept = { accept: 'application/json, text/event-stream' };
  const mcp = { method: 'POST', body: tools, headers: { ...json, ...accept } };
  const listed = await call('/v1/mcp', { ...mcp, headers: { ...mcp.headers, ...authorization } });
  expect(listed.text).toContain('memory_search');
  const challenged = await call('/v1/mcp', mcp);
  expect(challenged.headers['www-authenticate']).toContain(`${publicUrl}/.well-known/oauth-protected-resource/v1/mcp`);

  const tooLarge = JSON.stringify({ content: 'x'.repeat(1_200_000) });
  const refused = await call('/v1/memories', {
    method: 'POST',
    body: tooLarge,
    headers: { ...json, ...authorization },
  });
  expect([refused.status, JSON.parse(refused.text).code]).toEqual([413, 'payload_too_large']);
  const exported = (await call('/v1/export', { headers: authorization })).text;
  expect(exported).toContain('Ada is behind a proxy.');
  expect((await call('/metrics')).status).toBe(403);
  expect((await call('/v1/operator/overview')).status).toBe(404);
});
