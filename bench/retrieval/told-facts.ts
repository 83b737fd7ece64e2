import { basename, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Account } from '../../src/contract/account.ts';
import type { ContextAnswer, SearchAnswer } from '../../src/contract/search.ts';
import { callApi } from '../api-session.ts';
import { inFreshFolder } from '../processes.ts';
import { formatSection, formatTable } from '../report.ts';
import { type Person, type Prompt, readPerson, type ToldFact, toldFacts } from '../sessions/people.ts';
import { readLists } from './lists.ts';
import { mean } from './recall-table.ts';
import { refusedAtNineTenths, reliabilityOf, type Stated } from './reliability.ts';
import { type Remembered, remember } from './remembering.ts';
import { untilEmbedded, withAccount } from './stored-dialogues.ts';

const USAGE = `node --import tsx bench/retrieval/told-facts.ts --data <file>[,<file>]... [--embeddings <address>] [--wordings]
    [--tags] [--supersede] [--part odd|even] [--at-once] [--show] [--json]

Stores each person's facts as memories in the order they were told, in the built daemon (npm run build), and asks their
questions: what is found by kind, the worst person first, whether what changed stands above what it replaced, and how well
confidence tells what is not stored.

  --data <files>   people: facts with questions, or statements with prompts
  --embeddings <address>  with an embedding server, as SVC_EMBEDDINGS names it
  --wordings       with other wordings of each question, from the folder wordings beside the person's file
  --tags           store each fact with labels, from the folder tags beside the person's file
  --supersede      as an assistant that judges right: what a new fact replaces is superseded if the answer to adding it lists it
  --part odd|even  only every other question, by its place in the file
  --at-once        ask before the daemon has compared the memories with each other
  --show           list the questions whose answer is not first, and the answers of those that nothing answers
  --json           print what was asked and found`;

const { values } = parseArgs({
  options: {
    data: { type: 'string', multiple: true, default: [] },
    embeddings: { type: 'string' },
    wordings: { type: 'boolean', default: false },
    tags: { type: 'boolean', default: false },
    supersede: { type: 'boolean', default: false },
    part: { type: 'string' },
    'at-once': { type: 'boolean', default: false },
    show: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** Facts of a small store: the newest of them, so that what changed is among them. */
const SMALL = 60;
const CONTEXT_TOKENS = 300;
const MARKED_AMONG = 5;
/** Without an answer, by the file. */
const ABSENT = 'none';

type Call = <T>(path: string, body?: unknown) => Promise<T>;

interface Asked {
  person: string;
  size: 'small' | 'whole';
  /** Whether the person's own facts were asked, rather than another's. */
  isOwn: boolean;
  kind: string;
  question: string;
  /** Keys of the facts that answer and are stored. */
  wanted: readonly string[];
  found: { key: string; text: string; relevance: number }[];
  confidence: number;
  /** Of a question about what changed: whether the newer stands above the older, in searches and in contexts. */
  isNewerFirst?: { search: boolean; context: boolean };
  /** Among the first five, what `restatedBy` marks as older. */
  marked: Mark[];
}

interface Mark {
  older: string;
  newer: string;
  isWanted: boolean;
  /** Whether the file says so, too. */
  isRight: boolean;
}

interface Store extends Remembered {
  person: string;
  user: string;
  size: Asked['size'];
}

async function main(): Promise<number> {
  const files = values.data.flatMap((names) => names.split(','));
  if (values.help || files.length === 0) {
    process.stdout.write(`${USAGE}\n`);
    return values.help ? 0 : 1;
  }
  const people = await Promise.all(
    files.map(async (file) => ({
      person: { ...(await readPerson(resolve(file))), name: basename(file, '.json') },
      tags: values.tags ? await readLists([file], 'tags') : undefined,
    })),
  );
  const wordings = values.wordings ? await readLists(files, 'wordings') : new Map();
  const settings: Record<string, string> = values.embeddings ? { SVC_EMBEDDINGS: values.embeddings } : {};
  const { asked, stores } = await inFreshFolder((dataDir) =>
    withAccount({ dataDir, settings }, async ({ url, apiKey }) => {
      const call: Call = (path, body) => callApi(url, apiKey, path, body);
      const stores: { person: Person; store: Store }[] = [];
      for (const { person, tags } of people) {
        for (const size of ['small', 'whole'] as const) {
          stores.push({ person, store: await tell(call, person, size, tags) });
        }
      }
      if (!values['at-once']) await untilCompared(call);
      await untilEmbedded(url);
      const all: Asked[] = [];
      for (const { person, store } of stores) {
        for (const prompt of promptsOf(person)) all.push(await ask(call, person, store, prompt, { wordings }));
        const others = people.filter((other) => other.person !== person);
        for (const prompt of others.flatMap((other) => promptsOf(other.person)))
          all.push(await ask(call, person, store, prompt, { wordings, isOwn: false }));
      }
      return { asked: all, stores: stores.map(({ store }) => store) };
    }),
  );
  process.stdout.write(values.json ? `${JSON.stringify(asked, null, 1)}\n` : reportOf(asked, stores));
  return 0;
}

function promptsOf({ prompts }: Person): Prompt[] {
  return prompts.filter((_, at) => values.part === undefined || at % 2 === (values.part === 'odd' ? 1 : 0));
}

async function tell(
  call: Call,
  person: Person,
  size: Asked['size'],
  tags: ReadonlyMap<string, string[]> | undefined,
): Promise<Store> {
  const user = `${person.name} ${size}`;
  const told = toldFacts(person).slice(size === 'small' ? -SMALL : 0);
  const facts = told.map((fact) => ({ ...fact, project: undefined }));
  return {
    person: person.name,
    user,
    size,
    ...(await remember(call, facts, { user, tags, supersedes: values.supersede })),
  };
}

async function untilCompared(call: Call): Promise<void> {
  while ((await call<Account>('/v1/account')).unreadChanges > 0) await sleep(1000);
}

async function ask(
  call: Call,
  person: Person,
  { user, size, keyOf }: Store,
  { prompt: question, kind, needs }: Prompt,
  { wordings, isOwn = true }: { wordings: ReadonlyMap<string, string[]>; isOwn?: boolean },
): Promise<Asked> {
  const asks = { query: question, ...(wordings.has(question) && { wordings: wordings.get(question)! }), user };
  const { results, confidence } = await call<SearchAnswer>('/v1/search', asks);
  const stored = new Set(keyOf.values());
  const found = results.map(({ id, content, relevance }) => ({ key: keyOf.get(id)!, text: content, relevance }));
  const wanted = isOwn ? needs.filter((key) => stored.has(key)) : [];
  const facts = toldFacts(person);
  const marked = results.slice(0, MARKED_AMONG).flatMap(({ id, restatedBy }): Mark[] => {
    if (restatedBy === undefined) return [];
    const [older, newer] = [keyOf.get(id)!, keyOf.get(restatedBy)!];
    return [{ older, newer, isWanted: wanted.includes(older), isRight: replaces(facts, newer, older) }];
  });
  const one = { person: person.name, size, isOwn, kind, question, wanted, found, confidence, marked };
  const changed = facts.find(({ key, replaces }) => wanted.includes(key) && replaces !== undefined);
  if (!changed || !stored.has(changed.replaces!)) return one;
  const body = { ...asks, maxTokens: CONTEXT_TOKENS };
  const { citations } = await call<ContextAnswer>('/v1/context', body);
  const stands = (keys: readonly (string | undefined)[]) => isAbove(keys, changed.key, changed.replaces!);
  return {
    ...one,
    isNewerFirst: {
      search: stands(found.map(({ key }) => key)),
      context: stands(citations.map(({ id }) => keyOf.get(id))),
    },
  };
}

/** Whether one fact takes the place of another by the file, at once or by others between them. */
function replaces(facts: readonly ToldFact[], newer: string, older: string): boolean {
  const former = facts.find(({ key }) => key === newer)?.replaces;
  return former !== undefined && (former === older || replaces(facts, former, older));
}

function isAbove(keys: readonly (string | undefined)[], newer: string, older: string): boolean {
  const [at, before] = [keys.indexOf(newer), keys.indexOf(older)];
  return at >= 0 && (before < 0 || at < before);
}

/** Place of the first answer, from 1; infinite if it was not found. */
function placeOf({ wanted, found }: Asked): number {
  const at = found.findIndex(({ key }) => wanted.includes(key));
  return at < 0 ? Number.POSITIVE_INFINITY : at + 1;
}

const share = (some: readonly boolean[]) => (some.length === 0 ? '' : mean(some.map(Number)).toFixed(3));
const hits = (some: readonly Asked[], within: number) => share(some.map((one) => placeOf(one) <= within));
const countOf = (some: readonly boolean[]) => `${some.filter(Boolean).length} of ${some.length}`;

function reportOf(asked: readonly Asked[], stores: readonly Store[]): string {
  const own = asked.filter(({ isOwn, size, wanted }) => isOwn && size === 'whole' && wanted.length > 0);
  const people = [...new Set(asked.map(({ person }) => person))];
  const of = (person: string, some: readonly Asked[]) => some.filter((one) => one.person === person);
  const worstFirst = people.toSorted((a, b) => Number(hits(of(a, own), 1)) - Number(hits(of(b, own), 1)));
  const tables = worstFirst.flatMap((person) => {
    const kinds = ['all', ...new Set(of(person, own).map(({ kind }) => kind))];
    const rows = kinds.map((kind) => {
      const some = of(person, own).filter((one) => kind === 'all' || one.kind === kind);
      return { kind, count: String(some.length), 'hit@1': hits(some, 1), 'hit@5': hits(some, 5) };
    });
    const changed = of(person, own).flatMap((one) => (one.isNewerFirst ? [{ ...one.isNewerFirst, one }] : []));
    const lines = [
      `newest first: search ${countOf(changed.map(({ search }) => search))}, context ${countOf(changed.map(({ context }) => context))}`,
      `of these, first of all: ${countOf(changed.map(({ one }) => placeOf(one) === 1))}`,
      ...refusedLines(of(person, asked)),
      markedLine(of(person, asked)),
      ...stores.filter((store) => store.person === person && store.size === 'whole').map(listedLine),
    ];
    return [`${person}\n\n${formatTable(rows)}\n\n  ${lines.join('\n  ')}\n`];
  });
  return `\n${[...tables, ...calibrationOf(asked), ...(values.show ? shown(asked) : [])].join('\n')}\n`;
}

/** What confidence separates, where 90 % of the questions with an answer are kept, and of those whose answer is found. */
function refusedLines(asked: readonly Asked[]): string[] {
  const whole = asked.filter(({ size }) => size === 'whole');
  const own = whole.filter(({ isOwn, wanted }) => isOwn && wanted.length > 0);
  const refused = (some: readonly Asked[], present: readonly Asked[]) => {
    const stated = [...some, ...present].map((one) => ({ probability: one.confidence, isTrue: present.includes(one) }));
    return refusedAtNineTenths(stated).value.toFixed(3);
  };
  const kinds = {
    'absent questions': whole.filter(({ isOwn, kind }) => isOwn && kind === ABSENT),
    "another's questions": whole.filter(({ isOwn }) => !isOwn),
  };
  const found = own.filter((one) => placeOf(one) < Number.POSITIVE_INFINITY);
  return Object.entries(kinds)
    .filter(([, some]) => some.length > 0)
    .map(([name, some]) => `${some.length} ${name} refused: ${refused(some, own)}, of found ${refused(some, found)}`);
}

/** What adding a fact lists as about the same. */
function listedLine({ isListed, listedInVain }: Store): string {
  const inVain = mean(listedInVain).toFixed(1);
  return `adding lists what is replaced: ${countOf(isListed)}; of those that replace nothing, ${inVain} each`;
}

/** How many results are marked as older, and as what the person calls current; a pair counts once. */
function markedLine(asked: readonly Asked[]): string {
  const whole = asked.filter(({ isOwn, size }) => isOwn && size === 'whole').flatMap(({ marked }) => marked);
  const pairs = [...new Map(whole.map((mark) => [`${mark.older} ${mark.newer}`, mark])).values()];
  const answers = whole.filter(({ isWanted, isRight }) => isWanted && !isRight);
  const right = countOf(pairs.map(({ isRight }) => isRight));
  return `marked as older among the first ${MARKED_AMONG}: right by the file ${right} pairs; answers ${answers.length} times`;
}

function statedOf(one: Asked): Stated {
  return { probability: one.confidence, isTrue: placeOf(one) < Number.POSITIVE_INFINITY };
}

/** Each person's questions and as many of others', by the size of the store. */
function calibrationOf(asked: readonly Asked[]): string[] {
  return (['small', 'whole'] as const).map((size) => {
    const some = asked.filter((one) => one.size === size);
    const own = some.filter(({ isOwn }) => isOwn);
    const other = some.filter(({ isOwn }) => !isOwn);
    const step = Math.max(1, Math.floor(other.length / Math.max(1, own.length)));
    const stated = [...own, ...other.filter((_, at) => at % step === 0)].map(statedOf);
    return formatSection(reliabilityOf(`Confidence, ${size} store`, stated));
  });
}

function shown(asked: readonly Asked[]): string[] {
  return asked
    .filter((one) => one.isOwn && one.size === 'whole' && placeOf(one) !== 1)
    .map(({ person, kind, question, wanted, found, confidence, ...one }) =>
      [
        `${person} ${kind} (${placeOf({ wanted, found } as Asked)}, confidence ${confidence}): ${question}`,
        `    wanted: ${wanted.join(', ') || 'nothing'}${one.isNewerFirst ? `, ${JSON.stringify(one.isNewerFirst)}` : ''}`,
        ...found.slice(0, 3).map(({ text, relevance }) => `    ${relevance.toFixed(2)} ${text}`),
      ].join('\n'),
    );
}

process.exitCode = await main();
