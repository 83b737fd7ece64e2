import type { Conversation, Message } from '../src/contract/conversations.ts';
import type { Job, JobAccepted, NewExtraction } from '../src/contract/jobs.ts';
import type { Memory } from '../src/contract/memories.ts';
import { callApi, listAll } from './api-session.ts';
import { firstPersonSentences, memoryOf } from './first-person-model.ts';
import type { Dialogue, Turn } from './locomo-data.ts';

/** A finished job. */
export interface Run {
  name: string;
  job: Job;
  seconds: number;
}

/** The outcome of extracting memories from one dialogue several times. */
export interface ExtractedDialogue {
  turns: number;
  runs: { first: Run; second: Run; again: Run; contradiction: Run };
  /** Memories that were valid before the contradiction was appended. */
  memories: Memory[];
  /** All memories at the end, superseded ones included. */
  all: Memory[];
  /** Statements without a memory, and memories without a statement. */
  mismatches: string[];
  /** Memories citing a message outside the conversation, of another speaker, or without the words. */
  wrongCitations: string[];
}

interface Target {
  url: string;
  apiKey: string;
}

/** Appended at the end of the dialogue and retracted later. */
const PLANTED = 'I own a red canoe called Heron.';
const RETRACTED = 'I no longer own a red canoe called Heron.';
const BATCH = 100;

/** Stores a dialogue plus one planted sentence as a conversation and extracts memories from it four times. */
export async function extractDialogue(target: Target, { sampleId, turns }: Dialogue): Promise<ExtractedDialogue> {
  const call = <T>(path: string, body?: unknown) => callApi<T>(target.url, target.apiKey, path, body);
  const last = turns.at(-1)!;
  const messagesToStore = [...turns, { ...last, text: PLANTED }];
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
  const extract = (name: string, body: NewExtraction = {}) => extractOnce(call, id, name, body);
  const memoriesOf = (more = '') => listAll<Memory>(call, `/v1/memories?user=${encodeURIComponent(sampleId)}${more}`);

  for (let start = 0; start < messagesToStore.length; start += BATCH)
    await append(messagesToStore.slice(start, start + BATCH));
  const first = await extract('first');
  const second = await extract('second');
  const again = await extract('again', { again: true });
  const memories = await memoriesOf();
  const messages = await listAll<Message>(call, `/v1/conversations/${id}/messages?order=oldest`);
  await append([{ ...last, text: RETRACTED }]);
  const contradiction = await extract('contradiction');
  return {
    turns: messagesToStore.length,
    runs: { first, second, again, contradiction },
    memories,
    all: await memoriesOf('&includeSuperseded=true'),
    mismatches: mismatchesBetween(messagesToStore, memories),
    wrongCitations: memories.filter((memory) => !citesCorrectly(memory, id, messages)).map(({ content }) => content),
  };
}

type Call = <T>(path: string, body?: unknown) => Promise<T>;

async function extractOnce(call: Call, id: string, name: string, body: NewExtraction): Promise<Run> {
  const startMs = performance.now();
  const { jobId } = await call<JobAccepted>(`/v1/conversations/${id}/extract`, body);
  for (;;) {
    const job = await call<Job>(`/v1/jobs/${jobId}`);
    if (job.finishedAt !== null) return { name, job, seconds: (performance.now() - startMs) / 1000 };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Compares words only: svc stores sentences with the same words once. */
function mismatchesBetween(turns: readonly Turn[], memories: readonly Memory[]): string[] {
  const expected = new Set(
    turns.flatMap(({ speaker, text }) =>
      firstPersonSentences(text).map((sentence) => normalizedWords(memoryOf(speaker, sentence))),
    ),
  );
  const stored = memories.map(({ content }) => normalizedWords(content));
  const missing = [...expected].filter((words) => !stored.includes(words));
  const extra = stored.filter((words, index) => !expected.has(words) || stored.indexOf(words) !== index);
  return [...missing, ...extra];
}

const normalizedWords = (content: string) =>
  content
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
    ?.join(' ') ?? '';

/** Returns whether a memory's source and cited messages match the conversation. */
function citesCorrectly(
  { content, source, metadata }: Memory,
  conversationId: string,
  messages: readonly Message[],
): boolean {
  const { messageIds } = (metadata as { extraction: { messageIds: string[] } }).extraction;
  const cited = messages.filter(({ id }) => messageIds.includes(id));
  return (
    source?.conversationId === conversationId &&
    source.messageId === messageIds[0] &&
    cited.length === messageIds.length &&
    cited.length > 0 &&
    cited.every(
      (message) =>
        content.startsWith(`${message.name}: `) && oneLine(String(message.content)).includes(wordsOf(content)),
    )
  );
}

const wordsOf = (content: string) => content.slice(content.indexOf(': ') + 2);
const oneLine = (text: string) => text.replace(/\s+/g, ' ');
