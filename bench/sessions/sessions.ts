import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { callApi, signInByMail } from '../api-session.ts';
import type { BenchOptions } from '../benchmarks.ts';
import { inFreshFolder, startDaemon } from '../processes.ts';
import type { Section } from '../report.ts';
import { listsFile, readLists } from '../retrieval/lists.ts';
import { mean } from '../retrieval/recall-table.ts';
import { remember } from '../retrieval/remembering.ts';
import { type Extracted, readExtracted, saysExtracted, storeExtracted } from './extracted.ts';
import { type Machine, openHookSession } from './hook-session.ts';
import { type Person, type Prompt, readPerson, type Statement, toldFacts } from './people.ts';
import { saysFact } from './said-in.ts';

/** Statements of one session. */
const STATEMENTS_PER_SESSION = 4;
const MEMORIES_PER_BATCH = 50;

/**
 * How the account came to know the facts: from prompts; from prompts and what a model extracted from them afterwards; as
 * memories; or as memories of an assistant that gives tags and supersedes what changed. For `extracted` and `remembered`, the
 * person's file has folders `extracted` and `tags` beside it.
 */
const WAYS = ['captured', 'extracted', 'stored', 'remembered'] as const;
type Way = (typeof WAYS)[number];

/** What is known of a person besides the file. */
interface Recorded {
  tags: ReadonlyMap<string, string[]> | undefined;
  extracted: readonly Extracted[];
}

interface Asked {
  prompt: Prompt;
  atStart: string;
  atPrompt: string;
  /** Whether the texts that the hooks added contain a needed fact. */
  isKnown: boolean;
  isKnownAtPrompt: boolean;
  /** Whether a needed fact replaced another. */
  isChanged: boolean;
  /** Whether they also contain the fact that the needed one replaced. */
  isOutdated: boolean;
}

/**
 * Measures whole sessions: people tell an assistant facts in passing, and later sessions need them. The hooks' own code
 * runs in this process; `hook` measures the time of their processes.
 */
export async function benchSessions({ data, progress }: BenchOptions): Promise<Section> {
  if (data === undefined) throw new Error('sessions needs --data FILE[,FILE…]: people, or facts with questions');
  const people = await Promise.all(
    data.split(',').map(async (file) => ({
      person: await readPerson(resolve(file)),
      tags: existsSync(listsFile(file, 'tags')) ? await readLists([file], 'tags') : undefined,
      extracted: await readExtracted(file),
    })),
  );
  const rows: Section['rows'] = [];
  const findings: Section['findings'] = [];
  await inFreshFolder(async (folder) => {
    const dataDir = join(folder, 'data');
    const daemon = await startDaemon({ dataDir, settings: { SVC_DEFAULT_TIER: 'Enterprise' } });
    for (const { person, ...recorded } of people) {
      for (const way of WAYS) {
        if (way === 'remembered' && recorded.tags === undefined) continue;
        if (way === 'extracted' && recorded.extracted.length === 0) continue;
        progress(`${person.name}, ${way}`);
        const apiKey = await signInByMail(daemon.url, join(dataDir, 'mail'), `${person.name}-${way}@example.com`);
        const machine = { url: daemon.url, apiKey, folder: join(folder, `${person.name}-${way}`) };
        await mkdir(machine.folder);
        await tell[way](machine, person, recorded);
        const asked: Asked[] = [];
        const extracted = way === 'extracted' ? recorded.extracted : [];
        for (const prompt of person.prompts) asked.push(await ask(machine, person, prompt, extracted));
        rows.push(...rowsOf(`${person.name}, ${way}`, asked));
        findings.push(...findingsOf(person.name, way, asked));
      }
    }
    await daemon.stop();
  });
  return { name: 'sessions', title: 'Needed facts in what hooks added by the end of the prompt', rows, findings };
}

const tell: Record<Way, (machine: Machine, person: Person, recorded: Recorded) => Promise<void>> = {
  captured,
  async extracted(machine, person, { extracted }) {
    await captured(machine, person);
    await storeExtracted((path, body) => callApi(machine.url, machine.apiKey, path, body), person, extracted);
  },
  async stored({ url, apiKey }, { statements }) {
    const memories = statements.flatMap(({ fact, project }) =>
      fact === undefined ? [] : [{ content: fact, project }],
    );
    for (let at = 0; at < memories.length; at += MEMORIES_PER_BATCH) {
      await callApi(url, apiKey, '/v1/memories/batch', { memories: memories.slice(at, at + MEMORIES_PER_BATCH) });
    }
  },
  async remembered({ url, apiKey }, person, { tags }) {
    await remember((path, body) => callApi(url, apiKey, path, body), toldFacts(person), { tags, supersedes: true });
  },
};

async function captured(machine: Machine, { statements, projects }: Person): Promise<void> {
  for (let at = 0; at < statements.length; ) {
    const { project } = statements[at]!;
    const session = await openHookSession(machine, project, projects[project]!.files);
    const end = at + STATEMENTS_PER_SESSION;
    for (; at < end && statements[at]?.project === project; at += 1) {
      await session.event('prompt', { prompt: statements[at]!.prompt });
      await session.event('stop', { last_assistant_message: 'Done. Anything else?' });
    }
    await session.event('session-end');
  }
}

async function ask(
  machine: Machine,
  { statements, projects }: Person,
  prompt: Prompt,
  extracted: readonly Extracted[],
): Promise<Asked> {
  const session = await openHookSession(machine, prompt.project, projects[prompt.project]!.files);
  const atStart = await session.event('session-start', { source: 'startup' });
  const before = prompt.before === undefined ? '' : await session.event('prompt', { prompt: prompt.before });
  const atPrompt = await session.event('prompt', { prompt: prompt.prompt });
  const added = [atStart, before, atPrompt].join('\n');
  const needed = statements.filter(({ key }) => key !== undefined && prompt.needs.includes(key));
  const replaced = new Set(needed.flatMap(({ replaces }) => replaces ?? []));
  const says = (text: string) => (statement: Statement) =>
    saysFact(text, statement) || saysExtracted(text, statement.key, extracted);
  return {
    ...{ prompt, atStart, atPrompt, isChanged: replaced.size > 0 },
    isKnown: needed.some(says(added)),
    isKnownAtPrompt: needed.some(says(atPrompt)),
    isOutdated: statements.filter(({ key }) => replaced.has(key ?? '')).some(says(added)),
  };
}

function rowsOf(who: string, asked: readonly Asked[]): Section['rows'] {
  const kinds = [...new Set(asked.map(({ prompt }) => prompt.kind))];
  const row = (kind: string, of: readonly Asked[]) => ({
    who,
    kind,
    prompts: of.length,
    known: shareOf(of, ({ isKnown }) => isKnown).toFixed(2),
    'by the prompt': shareOf(of, ({ isKnownAtPrompt }) => isKnownAtPrompt).toFixed(2),
    'added something': shareOf(of, ({ atPrompt }) => atPrompt !== '').toFixed(2),
    tokens: Math.round(mean(of.map(({ atPrompt }) => countTokens(atPrompt)))),
  });
  return [
    ...kinds.map((kind) =>
      row(
        kind,
        asked.filter(({ prompt }) => prompt.kind === kind),
      ),
    ),
    row('all', asked),
  ];
}

function findingsOf(name: string, way: Way, asked: readonly Asked[]): Section['findings'] {
  const needing = asked.filter(({ prompt }) => prompt.needs.length > 0);
  const others = asked.filter(({ prompt }) => prompt.needs.length === 0);
  const changed = needing.filter(({ isChanged }) => isChanged);
  const of = `${name}, ${way}: `;
  const tokensOf = (texts: string[]) => mean(texts.map((text) => countTokens(text)));
  return [
    {
      name: `${of}needed fact known`,
      value: shareOf(needing, ({ isKnown }) => isKnown),
      atLeast: way === 'captured' || way === 'extracted' ? 0.6 : 0.8,
    },
    {
      name: `${of}added where nothing is needed`,
      value: shareOf(others, ({ atPrompt }) => atPrompt !== ''),
      atMost: 0.15,
    },
    { name: `${of}tokens added there`, value: tokensOf(others.map(({ atPrompt }) => atPrompt)), atMost: 60 },
    { name: `${of}tokens of a prompt`, value: tokensOf(asked.map(({ atPrompt }) => atPrompt)), atMost: 150 },
    {
      name: `${of}tokens of a start`,
      value: Math.max(...asked.map(({ atStart }) => countTokens(atStart))),
      atMost: 800,
    },
    {
      name: `${of}changed facts, the new one without the old`,
      value: shareOf(changed, ({ isKnown, isOutdated }) => isKnown && !isOutdated),
      atLeast: 12 / 14,
    },
  ];
}

function shareOf(asked: readonly Asked[], is: (one: Asked) => boolean): number {
  return asked.length === 0 ? 0 : mean(asked.map((one) => (is(one) ? 1 : 0)));
}
