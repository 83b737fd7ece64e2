import type { Daemon } from '../../../src/daemon/compose.ts';
import { insertActivity } from '../../../src/features/activity/activity-store.ts';
import { updateDue } from '../../../src/features/extraction/extraction-store.ts';
import { findJob, insertJob } from '../../../src/features/jobs/jobs-store.ts';
import { activityOf } from './twin-activity.ts';
import { fillCredentials } from './twin-credentials.ts';
import { type FilledStore, fillMemoryStore } from './twin-memory-stores.ts';
import { fillOAuth } from './twin-oauth.ts';
import { fillSpaces } from './twin-spaces.ts';
import { fillSuggestions } from './twin-suggestions.ts';
import { fillTidy } from './twin-tidy.ts';
import { fillTopics } from './twin-topics.ts';
import { fillWebhooks } from './twin-webhooks.ts';
import type { Twin } from './twin-world.ts';

/** The ids that filling made; the same for every twin. */
export interface Filled {
  /** Superseded by `successor`, changed once, with a tag, pinned, of another user, of the same text for all, and from a message. */
  memories: {
    old: string;
    successor: string;
    changed: string;
    pinned: string;
    others: string;
    same: string;
    cited: string;
  };
  conversation: string;
  messages: string[];
  /** Of another user, cut into episodes as it grows. */
  otherConversation: string;
  episode: string;
  cut: string;
  /** A search with feedback, one without, and a result of it. */
  learnedSearch: string;
  search: string;
  result: string;
  job: string;
  webhook: string;
  memoryStore: FilledStore;
}

/** When scheduled work that nobody waits for is due. */
export const FAR_MS = Date.UTC(2030, 0);
/** Soon after the twins act: what is due much later is taken for the work of a clock that was ahead. */
const DUE_MS = Date.UTC(2026, 0, 5, 11, 32);
export const SAME_TEXT = 'The moon is bright tonight.';

/** Creates rows of every kind through the API. All texts of the twins have the same length. */
export async function fillTwin(twin: Twin): Promise<Filled> {
  const { name, call } = twin;
  const created = async (request: string, body: unknown, headers?: Record<string, string>) => {
    const answer = await call(request, body, headers);
    if (answer.status > 202) throw new Error(`${request}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const add = async (content: string, more: object = {}, headers?: Record<string, string>): Promise<string> =>
    (await created('POST /v1/memories', { content, ...more }, headers)).id;

  const old = await add(`The heron of ${name} sleeps at the lake.`, {
    tags: ['bird'],
    metadata: { kind: 'bird' },
    source: { messageId: 'msg_of_old' },
  });
  const successor = await add(`The heron of ${name} sleeps at the river.`, { supersedes: old, tags: ['bird'] });
  const changed = await add(`The house of ${name} is red.`, { tags: ['home', 'bird'] }, { 'idempotency-key': 'first' });
  await created(`PATCH /v1/memories/${changed}`, { content: `The house of ${name} is blue, since yesterday.` });
  const pinned = await add(`The name is ${name}.`, { pinned: true, occurredAt: '2025-12-24T10:00:00.000Z' });
  await add(`The car of ${name} is old.`, {
    externalId: 'car',
    project: 'garage',
    source: { messageId: 'msg_of_both' },
  });
  const others = await add(`The boat of ${name} is green.`, { user: 'ann', tags: ['bird'] });
  const same = await add(SAME_TEXT);
  // Of one twin, the change corrects what a model extracted.
  const origin = name === 'ada' ? 'assistant' : 'extraction';
  const wheel = await add(`The wheel of ${name} turns.`, { origin, source: { messageId: 'msg_of_wheel' } });
  await created(`PATCH /v1/memories/${wheel}`, { content: `The wheel of ${name} stood.`, origin: 'person' });
  const expiresAt = '2026-01-05T12:00:00.000Z';
  const shortLived = await add(`The guest of ${name} leaves soon.`, { expiresAt, tags: ['bird'] });
  await add(`The guest of ${name} has left.`, { supersedes: shortLived });
  await add(`The kettle of ${name} boils.`, { supersedes: await add(`The kettle of ${name} is new.`), expiresAt });

  const conversation = (await created('POST /v1/conversations', { title: `What ${name} said` })).id as string;
  const say = async (id: string, contents: string[], headers?: Record<string, string>): Promise<string[]> => {
    const messages = contents.map((content, index) => ({
      role: 'user',
      name,
      content,
      createdAt: new Date(Date.UTC(2026, 0, 2, 10 + 4 * index)).toISOString(),
    }));
    const answer = await created(`POST /v1/conversations/${id}/messages`, { messages }, headers);
    return answer.data.map((message: { id: string }) => message.id);
  };
  const messages = await say(
    conversation,
    [`I am ${name} and I feed the heron.`, `The pond of ${name} froze.`, `The pond of ${name} thawed.`],
    { 'idempotency-key': 'second' },
  );
  const source = { conversationId: conversation, messageId: messages[1]! };
  const cited = await add(`The pond of ${name} was frozen.`, { source, tags: ['bird'] });
  const otherConversation = (await created('POST /v1/conversations', { user: 'ann' })).id as string;
  await say(otherConversation, [`The cousin of ${name} came.`, `The cousin of ${name} went.`]);
  const cuts = await created(`POST /v1/conversations/${otherConversation}/episodes`, undefined);
  const episode = await created('POST /v1/episodes', {
    title: `The winter of ${name}`,
    summary: `The pond of ${name} froze over.`,
    conversationId: conversation,
    project: 'garage',
    fromMessageId: messages[0],
    toMessageId: messages[2],
    startedAt: '2026-01-02T10:00:00.000Z',
    endedAt: '2026-01-02T18:00:00.000Z',
    memoryIds: [changed],
  });

  const model = { provider: 'openai', model: twin.server.generating };
  const { baseUrl } = twin.server;
  await created('PUT /v1/provider-keys/openai', { key: `sk-of-${name}-0123456789`, baseUrl });
  await created('PUT /v1/provider-keys/openai-compatible', { key: `sk-by-${name}-0123456789`, baseUrl });
  await created('PATCH /v1/provider-settings', {
    embedding: { provider: 'openai', model: twin.server.embedding },
    extraction: { model, dailyTokens: 1_000_000, onAppend: true, pricePerMillion: { input: 1, output: 2 } },
    tidySchedule: 'weekly',
  });
  const { jobId } = await created(`POST /v1/conversations/${conversation}/extract`, {});
  await twin.settle();
  await twin.settle();

  const find = async (query: string) => created('POST /v1/search', { query });
  const learned = await find('heron');
  await created(`POST /v1/searches/${learned.searchId}/feedback`, { used: [learned.results[1].id] });
  const found = await find('house');
  await twin.settle();
  await twin.daemon.db.writes.write('daemon', async (connection) => {
    const done = (await findJob(connection, twin.tenantId, jobId))!;
    const open = { id: 'job_open', state: 'queued', dryRun: 1, dueAt: FAR_MS, finishedAt: null } as const;
    await insertJob(connection, { ...done, ...open, errorCode: 'quota_exceeded' });
    await insertActivity(connection, activityOf(twin.tenantId, name));
  });
  await fillCredentials(twin);
  await fillOAuth(twin);
  const filled = {
    memories: { old, successor, changed, pinned, others, same, cited },
    conversation,
    messages,
    otherConversation,
    episode: episode.id,
    cut: cuts.data[0].id,
    learnedSearch: learned.searchId,
    search: found.searchId,
    result: found.results[0].id,
    job: jobId,
    webhook: await fillWebhooks(twin),
    memoryStore: await fillMemoryStore(twin),
  };
  await fillSuggestions(twin, filled);
  await fillSpaces(twin);
  await fillTopics(twin, filled);
  await fillTidy(twin, filled);
  return filled;
}

/** Schedules an extraction, once nothing that was done to fill accounts is due. */
export async function fillDue({ db }: Daemon, tenantId: string, { conversation: id }: Filled): Promise<void> {
  await db.writes.write('daemon', (connection) => updateDue(connection, { tenantId, id }, DUE_MS));
}
