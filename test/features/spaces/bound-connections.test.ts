import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Connection } from '../../../src/contract/connections.ts';
import { openBrowser, ticketOf } from '../connections/browser.ts';
import { connectDevice } from '../connections/device.ts';
import { createCaller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { addMember, inSpace, newPerson, newSpace, type Person } from './space-callers.ts';

let daemon: MemoryDaemon;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());

async function newDevice(person: Person) {
  daemon.clock.advance(60_000);
  const token = await connectDevice(daemon, person.apiKey);
  const { credential } = (await daemon.call<{ credential: { id: string } }>(token, '/v1/account')).body;
  return { id: credential.id, token, caller: createCaller(daemon.call, token, person.tenantId) };
}

const bind = (person: Person, id: string, space: string | null) =>
  person.call<Connection>(`/v1/connections/${id}`, { method: 'PATCH', body: { space } });

describe('a device that is bound to a space', () => {
  test('acts there without naming it, and nowhere else, not even in the account that connected it', async () => {
    const person = await newPerson(daemon);
    const [team, other] = [await newSpace(person, 'team'), await newSpace(person, 'other')];
    await person.add('My own secret plans');
    const { id, caller } = await newDevice(person);
    expect(await caller.list()).toEqual(['My own secret plans']);
    expect((await bind(person, id, 'team')).body).toMatchObject({ id, space: team.id });
    expect((await caller.add('The team has a van')).author).toBe(person.email);
    expect(await caller.list()).toEqual(['The team has a van']);
    expect(await inSpace(daemon, caller, 'team').list()).toEqual(['The team has a van']);
    expect((await inSpace(daemon, caller, other.id).call('/v1/memories')).status).toBe(403);
    expect((await inSpace(daemon, caller, 'default').call('/v1/memories')).status).toBe(403);
    expect((await caller.call('/v1/spaces')).status).toBe(400);
    const several = { query: 'plans', spaces: ['default'] };
    expect((await caller.call('/v1/search', { body: several })).status).toBe(400);
    expect((await caller.call(`/v1/connections/${id}`, { method: 'PATCH', body: { space: null } })).status).toBe(400);
    expect((await bind(person, id, null)).body).toMatchObject({ space: null });
    expect(await caller.list()).toEqual(['My own secret plans']);
  });

  test('may no more than the member, and nothing once the membership has ended', async () => {
    const [owner, reader] = [await newPerson(daemon), await newPerson(daemon)];
    const space = await newSpace(owner);
    const { id: member } = await addMember(owner, space, reader, 'reader');
    const { id, caller } = await newDevice(reader);
    expect((await bind(reader, id, space.id)).status).toBe(200);
    expect((await caller.call('/v1/memories')).status).toBe(200);
    expect((await caller.call('/v1/memories', { body: { content: 'Tea' } })).status).toBe(403);
    await owner.call(`/v1/spaces/${space.id}/members/${member}`, { method: 'DELETE' });
    expect((await caller.call('/v1/memories')).status).toBe(404);
    const stranger = await newPerson(daemon);
    expect((await bind(stranger, id, null)).status).toBe(404);
    expect((await bind(reader, id, space.id)).status).toBe(404);
  });

  test('loses the sessions that it opened before, which were not bound', async () => {
    const person = await newPerson(daemon);
    await newSpace(person, 'team');
    const { id, token } = await newDevice(person);
    const browser = await openBrowser(daemon, { ticket: await ticketOf(daemon, token) });
    expect((await browser.call('/v1/account')).status).toBe(200);
    const pending = await ticketOf(daemon, token);
    expect((await bind(person, id, 'team')).status).toBe(200);
    expect((await browser.call('/v1/account')).status).toBe(401);
    await expect(openBrowser(daemon, { ticket: pending })).rejects.toThrow();
    expect((await daemon.call(token, '/v1/session/ticket', { method: 'POST' })).status).toBe(400);
  });

  test('gets no more events of the account in a stream that it opened before', async () => {
    const person = await newPerson(daemon);
    await newSpace(person, 'team');
    const { id, token } = await newDevice(person);
    const response = await fetch(`${daemon.baseUrl}/v1/events`, { headers: { authorization: `Bearer ${token}` } });
    const chunks = response.body![Symbol.asyncIterator]();
    await chunks.next();
    expect((await bind(person, id, 'team')).status).toBe(200);
    daemon.clock.advance(5000);
    await person.add('My own secret plans');
    await expect.poll(() => daemon.events.openStreams()).toBe(0);
  });

  test('disconnects itself, also once the membership has ended', async () => {
    const [owner, reader] = [await newPerson(daemon), await newPerson(daemon)];
    const space = await newSpace(owner);
    const { id: member } = await addMember(owner, space, reader, 'reader');
    const [first, second] = [await newDevice(reader), await newDevice(reader)];
    for (const { id } of [first, second]) expect((await bind(reader, id, space.id)).status).toBe(200);
    const end = ({ caller }: typeof first, id: string) => caller.call(`/v1/connections/${id}`, { method: 'DELETE' });
    expect((await end(first, second.id)).status).toBe(400);
    expect((await end(first, first.id)).status).toBe(204);
    expect((await first.caller.call('/v1/memories')).status).toBe(401);
    await owner.call(`/v1/spaces/${space.id}/members/${member}`, { method: 'DELETE' });
    expect((await end(second, second.id)).status).toBe(204);
    expect((await second.caller.call('/v1/memories')).status).toBe(401);
  });

  test('is not the session of a browser, which chooses its space itself', async () => {
    const person = await newPerson(daemon);
    await newSpace(person, 'team');
    const browser = await openBrowser(daemon, { apiKey: person.apiKey });
    const refused = await bind(person, browser.session.id, 'team');
    expect(refused).toMatchObject({ status: 422, body: { code: 'unprocessable' } });
  });
});
