import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { inSpace, newPerson, newSpace } from './space-callers.ts';

let daemon: MemoryDaemon;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());

test('a memory that was superseded or is outdated is not copied into a space, where it would hold again', async () => {
  const ada = await newPerson(daemon);
  const space = await newSpace(ada);
  const old = await ada.add('The office is in Linz');
  const now = await ada.add('The office is in Graz', { supersedes: old.id });
  const outdated = await ada.add('The printer is broken');
  await ada.change(outdated.id, { validTo: new Date(daemon.clock.nowMs()).toISOString() });
  const memoryIds = [old.id, now.id, outdated.id];
  const copied = await ada.call(`/v1/spaces/${space.id}/copies`, { body: { memoryIds } });
  expect(copied).toMatchObject({ status: 201, body: { notFound: [old.id, outdated.id] } });
  expect(await inSpace(daemon, ada, space.id).list()).toEqual([now.content]);
});

test('a copy in a space names no conversation or message of the account', async () => {
  const ada = await newPerson(daemon);
  const space = await newSpace(ada);
  const extraction = { conversationId: 'conv_private', messageIds: ['msg_private'], jobId: 'job_1' };
  const { id } = await ada.add('The heron nests in May', { metadata: { level: 2, extraction } });
  const copied = await ada.call(`/v1/spaces/${space.id}/copies`, { body: { memoryIds: [id] } });
  expect(copied.body).toMatchObject({ data: [{ metadata: { level: 2, copiedFrom: id } }] });
  expect(copied.text).not.toContain('private');
});
