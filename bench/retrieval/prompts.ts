import { readFile } from 'node:fs/promises';
import type { AddedMemory } from '../../src/contract/memories.ts';
import type { ContextAnswer, SearchAnswer } from '../../src/contract/search.ts';
import { callApi } from '../api-session.ts';
import { inFreshFolder } from '../processes.ts';
import type { Section } from '../report.ts';
import { mean } from './recall-table.ts';
import { refusedAtNineTenths, reliabilityOf, type Stated } from './reliability.ts';
import { withAccount } from './stored-dialogues.ts';

/** What four people told an assistant, and what they ask it: hand-written, a part of svc. */
interface Person {
  user: string;
  /** A memory, and a prompt that it answers. */
  known: { memory: string; prompt: string }[];
  /** Prompts that no memory answers. */
  unknown: string[];
  /** A memory, a later one that replaces it unnamed, and a prompt that both answer. */
  updated: { before: string; after: string; prompt: string }[];
}

interface Asked {
  prompt: string;
  answer: SearchAnswer;
  /** What answers it; `undefined` for nothing. */
  wanted: string | undefined;
}

const FILE = new URL('prompts.json', import.meta.url);
/** Values of `minRelevance` to compare, and the one with targets. */
const FLOOR = 0.35;
const FLOORS = [0.2, 0.3, FLOOR, 0.4, 0.5];

/** Measures how well the daemon tells prompts that memories answer from others, and whether updated facts stand first. */
export async function benchPrompts(settings: Record<string, string> = {}): Promise<Section[]> {
  const { people } = JSON.parse(await readFile(FILE, 'utf8')) as { people: Person[] };
  return inFreshFolder((dataDir) =>
    withAccount({ dataDir, settings }, async ({ url, apiKey }) => {
      const call = <T>(path: string, body: unknown) => callApi<T>(url, apiKey, path, body);
      const asked: Asked[] = [];
      const updates: { search: boolean; context: boolean }[] = [];
      for (const person of people) {
        const ids = await store(person, call);
        asked.push(...(await ask(person, ids, call)));
        updates.push(...(await askUpdated(person, ids, call)));
      }
      return [floorsOf(asked), ...confidenceOf(asked), updatesOf(updates)];
    }),
  );
}

type Call = <T>(path: string, body: unknown) => Promise<T>;

/** Returns the id of each text; what replaces another is stored after it. */
async function store({ user, known, updated }: Person, call: Call): Promise<Map<string, string>> {
  const first = [...known.map(({ memory }) => memory), ...updated.map(({ before }) => before)];
  const ids = new Map<string, string>();
  for (const contents of [first, updated.map(({ after }) => after)]) {
    const memories = contents.map((content) => ({ content, user }));
    const { data } = await call<{ data: AddedMemory[] }>('/v1/memories/batch', { memories });
    for (const { id, content } of data) ids.set(content, id);
  }
  return ids;
}

async function ask({ user, known, unknown }: Person, ids: Map<string, string>, call: Call): Promise<Asked[]> {
  const prompts = [
    ...known.map(({ memory, prompt }) => ({ prompt, wanted: ids.get(memory) })),
    ...unknown.map((prompt) => ({ prompt, wanted: undefined })),
  ];
  const asked: Asked[] = [];
  for (const { prompt, wanted } of prompts) {
    asked.push({ prompt, wanted, answer: await call<SearchAnswer>('/v1/search', { query: prompt, user }) });
  }
  return asked;
}

/** Whether the newer statement stands first in search, and before the older one in a context. */
async function askUpdated({ user, updated }: Person, ids: Map<string, string>, call: Call) {
  const found: { search: boolean; context: boolean }[] = [];
  for (const { before, after, prompt: query } of updated) {
    const { results } = await call<SearchAnswer>('/v1/search', { query, user });
    const { citations } = await call<ContextAnswer>('/v1/context', { query, user, maxTokens: 500 });
    const at = (text: string) => citations.findIndex(({ id }) => id === ids.get(text));
    const [newer, older] = [at(after), at(before)];
    const isBefore = newer >= 0 && (older < 0 || newer < older);
    found.push({ search: results[0]?.id === ids.get(after), context: isBefore });
  }
  return found;
}

function floorsOf(asked: readonly Asked[]): Section {
  const shareOf = (of: readonly Asked[], isShown: (one: Asked) => boolean) =>
    mean(of.map((one) => (isShown(one) ? 1 : 0)));
  const [known, unknown] = [asked.filter(({ wanted }) => wanted), asked.filter(({ wanted }) => !wanted)];
  const noise = (floor: number) =>
    shareOf(unknown, ({ answer }) => answer.results.some(({ relevance }) => relevance >= floor));
  const useful = (floor: number) =>
    shareOf(known, ({ answer, wanted }) =>
      answer.results.some(({ id, relevance }) => id === wanted && relevance >= floor),
    );
  return {
    name: 'noise',
    title: `${unknown.length} prompts that no memory answers, ${known.length} that one does`,
    rows: FLOORS.map((floor) => ({
      minRelevance: floor.toFixed(2),
      'noise shown': noise(floor).toFixed(3),
      'useful shown': useful(floor).toFixed(3),
    })),
    findings: [
      { name: `noise shown at ${FLOOR}`, value: noise(FLOOR), atMost: 0.05 },
      { name: `useful shown at ${FLOOR}`, value: useful(FLOOR), atLeast: 0.85 },
    ],
  };
}

function confidenceOf(asked: readonly Asked[]): Section[] {
  const confidences = asked.map(
    ({ answer: { confidence, results }, wanted }): Stated => ({
      probability: confidence,
      isTrue: results.some(({ id }) => id === wanted),
    }),
  );
  const relevances = asked.flatMap(({ answer: { results }, wanted }) =>
    results.map(({ id, relevance }): Stated => ({ probability: relevance, isTrue: id === wanted })),
  );
  const confidence = reliabilityOf('Confidence of these prompts', confidences);
  return [
    { ...confidence, findings: [...confidence.findings, refusedAtNineTenths(confidences)] },
    reliabilityOf('Relevance of their results', relevances),
  ];
}

function updatesOf(updates: readonly { search: boolean; context: boolean }[]): Section {
  const count = (name: 'search' | 'context') => updates.filter((one) => one[name]).length;
  return {
    name: 'updates',
    title: `${updates.length} facts that a later memory replaces without naming them`,
    rows: [{ 'newest first in search': count('search'), 'before the older in contexts': count('context') }],
    findings: [
      { name: 'share of updated facts first in search', value: count('search') / updates.length, atLeast: 0.9 },
      { name: 'share of updated facts first in contexts', value: count('context') / updates.length, atLeast: 0.9 },
    ],
  };
}
