import { readFile } from 'node:fs/promises';

export interface Turn {
  diaId: string;
  speaker: string;
  /** Absent between two people, who have names instead. */
  role?: 'user' | 'assistant';
  text: string;
  /** The session's date, RFC 3339. */
  occurredAt: string;
}

export interface Question {
  text: string;
  /** LoCoMo: 1 multi-hop to 5 adversarial. BEAM: 11 to 19; see `recall-table.ts`. */
  category: number;
  answer: string;
  /** Ids of the turns that answer it; never empty. */
  evidence: string[];
}

/** One dialogue in the format of the LoCoMo benchmark (Maharana et al., ACL 2024). */
export interface Dialogue {
  sampleId: string;
  turns: Turn[];
  questions: Question[];
}

interface RawTurn {
  speaker: string;
  role?: 'user' | 'assistant';
  dia_id: string;
  text: string;
}

/** The fields of the file format that are read. */
export interface RawDialogue {
  sample_id: string;
  conversation: Record<string, RawTurn[] | string>;
  qa: { question: string; answer?: unknown; evidence: string[]; category: number }[];
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

export async function readDialogues(file: string): Promise<Dialogue[]> {
  return (JSON.parse(await readFile(file, 'utf8')) as RawDialogue[]).map(toDialogue);
}

export function toDialogue({ sample_id, conversation, qa }: RawDialogue): Dialogue {
  const turns = turnsOf(conversation);
  const known = new Set(turns.map(({ diaId }) => diaId));
  const questions = qa
    .map(({ question, answer, category, evidence }) => ({
      ...{ text: question, answer: String(answer ?? ''), category },
      evidence: evidenceOf(evidence, known),
    }))
    .filter(({ evidence }) => evidence.length > 0);
  return { sampleId: sample_id, turns, questions };
}

function turnsOf(conversation: RawDialogue['conversation']): Turn[] {
  const sessions = Object.keys(conversation)
    .map((name) => Number(/^session_(\d+)$/.exec(name)?.[1]))
    .filter((number) => !Number.isNaN(number))
    .sort((a, b) => a - b);
  return sessions.flatMap((number) => {
    const occurredAt = sessionDate(String(conversation[`session_${number}_date_time`]));
    const turns = conversation[`session_${number}`] as RawTurn[];
    return turns.map(({ speaker, role, dia_id, text }) => ({
      ...{ diaId: dia_id, speaker, text, occurredAt },
      ...(role && { role }),
    }));
  });
}

/** Parses `1:56 pm on 8 May, 2023` as UTC. */
function sessionDate(text: string): string {
  const [, hour, minute, half, day, month, year] =
    /^(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)$/.exec(text.trim()) ?? [];
  const monthIndex = MONTHS.indexOf(month ?? '');
  if (monthIndex < 0) throw new Error(`Invalid session date: ${text}`);
  const hours = (Number(hour) % 12) + (half === 'pm' ? 12 : 0);
  return new Date(Date.UTC(Number(year), monthIndex, Number(day), hours, Number(minute))).toISOString();
}

/** Splits entries that contain several ids and drops ids of unknown turns. */
function evidenceOf(entries: readonly string[], known: ReadonlySet<string>): string[] {
  const ids = entries.flatMap((entry) => entry.split(/[;,\s]+/));
  return [...new Set(ids.filter((id) => known.has(id)))];
}
