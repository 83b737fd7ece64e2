import type { Conversation, Message } from '../src/contract/conversations.ts';
import type { Job, JobTaken, NewExtraction } from '../src/contract/jobs.ts';
import type { Memory } from '../src/contract/memories.ts';
import { memoryOf, tellingSentences } from './first-person-model.ts';
import type { Dialogue, Turn } from './locomo-data.ts';
import { callApi } from './person.ts';

/** One job to its end. */
export interface Run {
  name: string;
  job: Job;
  seconds: number;
}

/** What became of a dialogue whose conversation was drawn from again and again. */
export interface DrawnDialogue {
  turns: number;
  runs: { first: Run; second: Run; again: Run; contradiction: Run };
  /** Those in force before the contradiction came. */
  memories: Memory[];
  /** In the end, those that are no longer among them. */
  all: Memory[];
  /** What the dialogue says by the rule and no memory does, or the other way round. */
  astray: string[];
  /** Memories whose message is none of the conversation, is another speaker's, or does not hold the words. */
  citedWrongly: string[];
}

interface Place {
  url: string;
  apiKey: string;
}

/** Said at the end of the dialogue, and taken back later. */
const PLANTED = 'I own a red canoe called Heron.';
const TAKEN_BACK = 'I no longer own a red canoe called Heron.';
const BATCH = 100;

/** Stores a dialogue as one conversation, with a sentence more, and draws memories from it four times. */
export async function drawDialogue(place: Place, { sampleId, turns }: Dialogue): Promise<DrawnDialogue> {
  const call = <T>(path: string, body?: unknown) => callApi<T>(place.url, place.apiKey, path, body);
  const last = turns.at(-1)!;
  const said = [...turns, { ...last, text: PLANTED }];
  const { id } = await call<Conversation>('/v1/conversations', { user: sampleId });
  const append = async (more: readonly Turn[]) => {
    const messages = more.map(({ speaker, text, occurredAt }) => ({
      role: 'user',
      name: speaker,
      content: text,
      createdAt: occurredAt,
    }));
    await call(`/v1/conversations/${id}/messages`, { messages });
  };
  const draw = (name: string, body: NewExtraction = {}) => drawOnce(call, id, name, body);
  const memoriesOf = (more = '') => listAll<Memory>(call, `/v1/memories?user=${encodeURIComponent(sampleId)}${more}`);

  for (let start = 0; start < said.length; start += BATCH) await append(said.slice(start, start + BATCH));
  const first = await draw('first');
  const second = await draw('second');
  const again = await draw('again', { again: true });
  const memories = await memoriesOf();
  const messages = await listAll<Message>(call, `/v1/conversations/${id}/messages?order=oldest`);
  await append([{ ...last, text: TAKEN_BACK }]);
  const contradiction = await draw('contradiction');
  return {
    turns: said.length,
    runs: { first, second, again, contradiction },
    memories,
    all: await memoriesOf('&includeSuperseded=true'),
    astray: difference(said, memories),
    citedWrongly: memories.filter((memory) => !holds(memory, id, messages)).map(({ content }) => content),
  };
}

type Call = <T>(path: string, body?: unknown) => Promise<T>;

async function drawOnce(call: Call, id: string, name: string, body: NewExtraction): Promise<Run> {
  const startMs = performance.now();
  const { jobId } = await call<JobTaken>(`/v1/conversations/${id}/extract`, body);
  for (;;) {
    const job = await call<Job>(`/v1/jobs/${jobId}`);
    if (job.finishedAt !== null) return { name, job, seconds: (performance.now() - startMs) / 1000 };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function listAll<T>(call: Call, path: string): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | null = null;
  do {
    const more: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: { data: T[]; nextCursor: string | null } = await call(`${path}&limit=200${more}`);
    all.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return all;
}

/** By their words alone: svc keeps two sentences of the same words as one. */
function difference(said: readonly Turn[], memories: readonly Memory[]): string[] {
  const wanted = new Set(
    said.flatMap(({ speaker, text }) => tellingSentences(text).map((one) => sayingOf(memoryOf(speaker, one)))),
  );
  const there = memories.map(({ content }) => sayingOf(content));
  const missing = [...wanted].filter((saying) => !there.includes(saying));
  const more = there.filter((saying, index) => !wanted.has(saying) || there.indexOf(saying) !== index);
  return [...missing, ...more];
}

const sayingOf = (content: string) =>
  content
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
    ?.join(' ') ?? '';

/** By what the memory shows of its origin and the messages as they are listed. */
function holds({ content, source, metadata }: Memory, conversationId: string, messages: readonly Message[]): boolean {
  const { messageIds } = (metadata as { extraction: { messageIds: string[] } }).extraction;
  const cited = messages.filter(({ id }) => messageIds.includes(id));
  return (
    source?.conversationId === conversationId &&
    source.messageId === messageIds[0] &&
    cited.length === messageIds.length &&
    cited.length > 0 &&
    cited.every(
      (message) => content.startsWith(`${message.name}: `) && oneLine(message.content).includes(wordsOf(content)),
    )
  );
}

const wordsOf = (content: string) => content.slice(content.indexOf(': ') + 2);
const oneLine = (text: string) => text.replace(/\s+/g, ' ');
