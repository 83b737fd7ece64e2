import { readdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { callAt, createWorkplaces, type DaemonProcess, signInAt } from '../helpers/process.ts';

const places = createWorkplaces();
afterEach(places.clean);

const ENTERPRISE = { SVC_DEFAULT_TIER: 'Enterprise' };

/** A POST whose body is sent in two halves, so that the test controls how long it is in flight. */
async function halfRequest(url: string, apiKey: string, content: string) {
  const { hostname, port } = new URL(url);
  const body = JSON.stringify({ content });
  const socket: Socket = connect(Number(port), hostname);
  let answer = '';
  const ended = new Promise<string>((resolve) => {
    socket.on('data', (chunk) => {
      answer += String(chunk);
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', () => resolve(answer));
  });
  const head = [
    'POST /v1/memories HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${apiKey}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    '',
  ].join('\r\n');
  await new Promise<void>((resolve) => socket.write(head + body.slice(0, 5), () => resolve()));
  return { finish: () => socket.write(body.slice(5)), ended };
}

async function silentSocket(url: string): Promise<Promise<void>> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await new Promise((resolve) => socket.once('connect', resolve));
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

async function contents(daemon: DaemonProcess, apiKey: string): Promise<string[]> {
  const { body } = await callAt(daemon.url, apiKey, '/v1/memories?limit=200');
  return (body.data as { content: string }[]).map(({ content }) => content).sort();
}

describe('a request to stop (row 58)', () => {
  test('with 100 requests in flight: reports not ready, answers them all, keeps the data and exits with 0 despite idle connections', async () => {
    const dataDir = await places.folder();
    const daemon = await places.start({ dataDir, env: ENTERPRISE });
    const apiKey = await signInAt(daemon, 'ada@example.com');
    const requests = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        halfRequest(daemon.url, apiKey, `memory ${String(index).padStart(3, '0')}`),
      ),
    );
    const silent = silentSocket(daemon.url);
    await sleep(200);
    expect((await fetch(`${daemon.url}/readyz`)).status).toBe(200);
    const start = performance.now();
    daemon.kill('SIGTERM');
    await sleep(60);
    const ready = await fetch(`${daemon.url}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({ checks: { accepting: 'stopping' } });
    await sleep(400);
    await expect(fetch(`${daemon.url}/healthz`)).rejects.toThrow();
    for (const { finish } of requests) finish();
    const answers = await Promise.all(requests.map(({ ended }) => ended));
    expect(answers.filter((answer) => answer.startsWith('HTTP/1.1 201'))).toHaveLength(100);
    expect(await daemon.exited).toMatchObject({ exitCode: 0 });
    expect(performance.now() - start).toBeLessThan(5000);
    await silent;
    expect(await readdir(dataDir)).not.toContain('svc.db-wal');

    const next = await places.start({ dataDir });
    expect(await contents(next, apiKey)).toEqual(
      Array.from({ length: 100 }, (_, index) => `memory ${String(index).padStart(3, '0')}`),
    );
  });

  test('exits at once on a second signal, without losing acknowledged writes', async () => {
    const dataDir = await places.folder();
    const daemon = await places.start({ dataDir });
    const apiKey = await signInAt(daemon, 'ada@example.com');
    expect((await callAt(daemon.url, apiKey, '/v1/memories', { body: { content: 'tea' } })).status).toBe(201);
    const { ended } = await halfRequest(daemon.url, apiKey, 'never sent');
    daemon.kill('SIGTERM');
    await sleep(500);
    const start = performance.now();
    daemon.kill('SIGINT');
    expect(await daemon.exited).toMatchObject({ exitCode: 1 });
    expect(performance.now() - start).toBeLessThan(1000);
    await ended;
    const next = await places.start({ dataDir });
    expect(await contents(next, apiKey)).toEqual(['tea']);
    next.kill('SIGINT');
    expect(await next.exited).toMatchObject({ exitCode: 0 });
  });
});
