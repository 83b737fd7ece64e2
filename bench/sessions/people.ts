import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';

/** What a person told an assistant and what they need later. */
export interface Person {
  name: string;
  /** Files at the top of each project's folder. */
  projects: Record<string, { files: string[] }>;
  /** Prompts of earlier sessions, oldest first; those without a key say nothing that is needed later. */
  statements: Statement[];
  prompts: Prompt[];
}

export interface Statement {
  project: string;
  day: number;
  /** What the person typed, with the fact in passing. */
  prompt: string;
  key?: string;
  /** The same fact as a memory. */
  fact?: string;
  /** The key of the fact that it takes the place of. */
  replaces?: string;
}

/** A fact as a memory, with the key by which prompts need it. */
export interface ToldFact {
  key: string;
  fact: string;
  project?: string | undefined;
  replaces?: string | undefined;
}

export interface Prompt {
  project: string;
  day: number;
  kind: string;
  prompt: string;
  /** A prompt of the same session before it. */
  before?: string;
  /** Keys of the facts that it needs, any of which will do; none for a prompt that needs nothing stored. */
  needs: string[];
}

/** Facts with questions, as in `facts-dev-a.json`. */
interface Facts {
  facts: { key: string; text: string; replacedBy?: string }[];
  questions: { question: string; answers?: string[]; kind: string }[];
}

/** Facts with questions, what nothing answers and what changed listed apart. */
interface Listed {
  facts: { id: string; text: string; at: string | number }[];
  questions: { id: string; text: string; kind: string; needs: string[] }[];
  absent: { id: string; text: string }[];
  /** `question`: the id of one of the questions, or a further one's words. */
  changes: { older: string; newer: string; question: string }[];
}

/** What a person asks for when a file has facts alone; a fact follows in the same prompt. */
const REQUESTS = [
  'Please tidy up the readme.',
  'Can you rename that function?',
  'Draft a short reply to the last mail.',
  'Make the table wider.',
  'Shorten this paragraph by half.',
];

/** Reads a person, or makes one of facts with questions: each fact said in passing, each question asked as a prompt. */
export async function readPerson(file: string): Promise<Person> {
  const json = JSON.parse(await readFile(file, 'utf8')) as Person | Facts | Listed;
  if ('statements' in json) return json;
  return personOf(basename(file, '.json'), 'changes' in json ? factsOf(json) : json);
}

/** What a person told that is needed later, oldest first. */
export function toldFacts({ statements }: Person): ToldFact[] {
  return statements.flatMap(({ key, fact, project, replaces }) =>
    key && fact ? [{ key, fact, project, replaces }] : [],
  );
}

function factsOf({ facts, questions, absent, changes }: Listed): Facts {
  const replacedBy = new Map(changes.map(({ older, newer }) => [older, newer]));
  const ids = new Set(questions.map(({ id }) => id));
  const timeOf = ({ at }: Listed['facts'][number]) => (typeof at === 'number' ? at : Date.parse(at));
  return {
    facts: facts
      .toSorted((a, b) => timeOf(a) - timeOf(b))
      .map(({ id, text }) => ({ key: id, text, ...(replacedBy.has(id) && { replacedBy: replacedBy.get(id)! }) })),
    questions: [
      ...questions.map(({ text, kind, needs }) => ({ question: text, answers: needs, kind })),
      ...changes
        .filter(({ question }) => !ids.has(question))
        .map(({ newer, question }) => ({ question, answers: [newer], kind: 'changed' })),
      ...absent.map(({ text }) => ({ question: text, kind: 'none' })),
    ],
  };
}

function personOf(name: string, { facts, questions }: Facts): Person {
  const project = 'notes';
  const replaced = new Map(facts.flatMap(({ key, replacedBy }) => (replacedBy ? [[replacedBy, key]] : [])));
  return {
    name,
    projects: { [project]: { files: ['README.md'] } },
    // What replaces another was told after it, wherever the file has it.
    statements: [...facts.filter(({ key }) => !replaced.has(key)), ...facts.filter(({ key }) => replaced.has(key))].map(
      ({ key, text }, day) => ({
        ...{ project, day, key, fact: text, prompt: `${REQUESTS[day % REQUESTS.length]} ${text}` },
        ...(replaced.has(key) && { replaces: replaced.get(key)! }),
      }),
    ),
    prompts: questions.map(({ question, answers = [], kind }) => ({
      ...{ project, day: facts.length, kind, prompt: question, needs: answers },
    })),
  };
}
