import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Conversation, Message } from '../../src/contract/conversations.ts';
import type { SearchAnswer } from '../../src/contract/search.ts';
import { SPACE_HEADER, type Space } from '../../src/contract/spaces.ts';
import { fetchWithBackoff } from '../api-session.ts';
import { readDialogues, type Turn } from '../locomo-data.ts';
import { meanRecall, type Recall, recallOf } from '../recall.ts';
import { isHeadline } from './recall-table.ts';
import { withAccount } from './stored-dialogues.ts';

/**
 * Recall over three spaces that hold a third of each dialogue's sessions, against one space that holds all of them:
 * `node --import tsx bench/retrieval/spaces.ts --data <file>` (npm run build first). Recall by questions with evidence.
 */
const { values } = parseArgs({ options: { data: { type: 'string' } } });
if (values.data === undefined) throw new Error('Name a file of dialogues with --data.');
const dialogues = await readDialogues(values.data);
const NAMES = ['first', 'second', 'third'];
const WHOLE = 'whole';
const BATCH = 400;

const dataDir = await mkdtemp(join(tmpdir(), 'svc-bench-'));
try {
  await withAccount({ dataDir }, async ({ url, apiKey }) => {
    const call = callerOf(url, apiKey);
    for (const name of [...NAMES, WHOLE]) await call<Space>('/v1/spaces', undefined, { name });
    const one: Recall[] = [];
    const three: Recall[] = [];
    for (const { sampleId: user, turns, questions } of dialogues) {
      const ids = new Map<string, Map<string, string>>();
      for (const [index, session] of sessionsOf(turns).entries()) {
        for (const space of [WHOLE, NAMES[index % NAMES.length]!]) {
          const stored = await store(call, space, user, session);
          const known = ids.get(space === WHOLE ? WHOLE : 'parts') ?? new Map<string, string>();
          for (const [diaId, id] of stored) known.set(diaId, id);
          ids.set(space === WHOLE ? WHOLE : 'parts', known);
        }
      }
      for (const { text: query, category, evidence } of questions) {
        if (!isHeadline(category)) continue;
        const wantedOf = (where: string) => evidence.map((diaId) => ids.get(where)!.get(diaId)!);
        const whole = await call<SearchAnswer>('/v1/search', WHOLE, { query, user, limit: 10 });
        const parts = await call<SearchAnswer>('/v1/search', undefined, { query, user, limit: 10, spaces: NAMES });
        one.push(
          recallOf(
            wantedOf(WHOLE),
            whole.results.map(({ id }) => id),
          ),
        );
        three.push(
          recallOf(
            wantedOf('parts'),
            parts.results.map(({ id }) => id),
          ),
        );
      }
    }
    for (const [name, recalls] of [
      ['one space', one],
      ['three spaces', three],
    ] as const) {
      const mean = meanRecall(recalls);
      const figures = Object.entries(mean).map(([measure, value]) => `${measure} ${value.toFixed(3)}`);
      process.stdout.write(`${name}: ${figures.join(', ')} (${recalls.length} questions)\n`);
    }
  });
} finally {
  await rm(dataDir, { recursive: true, force: true });
}

type Call = ReturnType<typeof callerOf>;

function callerOf(url: string, apiKey: string) {
  return async <T>(path: string, space: string | undefined, body: object): Promise<T> => {
    const response = await fetchWithBackoff(url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        ...(space !== undefined && { [SPACE_HEADER]: space }),
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  };
}

async function store(call: Call, space: string, user: string, session: readonly Turn[]): Promise<[string, string][]> {
  const createdAt = session[0]!.occurredAt;
  const { id } = await call<Conversation>('/v1/conversations', space, { user, createdAt });
  const ids: [string, string][] = [];
  for (let start = 0; start < session.length; start += BATCH) {
    const part = session.slice(start, start + BATCH);
    const messages = part.map(({ speaker, role, text: content }) =>
      role ? { role, content, createdAt } : { role: 'user', name: speaker, content, createdAt },
    );
    const { data } = await call<{ data: Message[] }>(`/v1/conversations/${id}/messages`, space, { messages });
    ids.push(...data.map((message, index): [string, string] => [part[index]!.diaId, message.id]));
  }
  return ids;
}

/** Turn ids contain their session: `D3:7` belongs to the third. */
function sessionsOf(turns: readonly Turn[]): Turn[][] {
  const sessions = new Map<string, Turn[]>();
  for (const turn of turns) {
    const session = turn.diaId.split(':')[0]!;
    sessions.set(session, [...(sessions.get(session) ?? []), turn]);
  }
  return [...sessions.values()];
}
