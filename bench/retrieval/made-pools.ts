import { bucketOf, textTraitsOf } from '../../src/features/learning/query-bucket.ts';
import { queryTerms } from '../../src/features/search/terms.ts';
import type { Dialogue, Question } from '../locomo-data.ts';
import type { Chance } from './chance.ts';
import type { RecordedPool } from './pools.ts';

const CANDIDATES = 60;
const TEMPORAL = 2;

/** What of a question shapes its made pool. */
interface Asked {
  namesSpeaker: boolean;
  isTemporal: boolean;
  asksWhenOrCount: boolean;
}

/**
 * Pools for the questions of real dialogues where none are recorded: the questions, their kinds and how many answers
 * they have are real, the signals are drawn. Only for tuning the learning, no measure of retrieval.
 */
export function makePools(dialogues: readonly Dialogue[], chance: Chance): RecordedPool[] {
  return dialogues.flatMap(({ turns, questions }) => {
    const speakers = [...new Set(turns.map(({ speaker }) => speaker.toLowerCase()))];
    return questions.filter(({ category }) => category <= 4).map((question) => makePool(question, speakers, chance));
  });
}

function makePool(question: Question, speakers: readonly string[], chance: Chance): RecordedPool {
  const text = textTraitsOf(question.text);
  const namesSpeaker = speakers.some((name) => question.text.toLowerCase().includes(name));
  const hasDate =
    /\b(january|february|march|april|may|june|july|august|september|october|november|december|20\d\d)\b/i.test(
      question.text,
    );
  const terms = queryTerms(question.text).length;
  const bucket = bucketOf({ ...text, terms, hasDate, namesSpeaker, unknownShare: chance.uniform() ** 4 });
  const asked = { ...text, namesSpeaker, isTemporal: question.category === TEMPORAL };
  const answers = Math.min(4, question.evidence.length);
  const rows = Array.from({ length: CANDIDATES }, (_, index) => makeSignals(index < answers, asked, chance));
  const best = Object.fromEntries(
    Object.keys(rows[0]!).map((name) => [name, Math.max(1e-9, ...rows.map((row) => Math.abs(row[name]!)))]),
  );
  const pool = rows.map((row, index) => ({
    id: `mem_${index}`,
    signals: Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value / best[name]!])),
  }));
  const relevant = pool.slice(0, answers).map(({ id }) => id);
  return { question: question.text, bucket, pool: chance.shuffled(pool), relevant };
}

function makeSignals(answers: boolean, asked: Asked, chance: Chance): Record<string, number> {
  const happens = (ifAnswer: number, otherwise: number) => chance.uniform() < (answers ? ifAnswer : otherwise);
  const lex = Math.exp(0.55 * chance.normal() + (answers ? 1.2 : 0));
  const near = Math.exp(0.5 * chance.normal() + (answers ? 0.9 : 0));
  return {
    lex,
    tri: happens(0.15, 0.05) ? chance.uniform() : 0,
    win: 0.5 * lex + near,
    sess: Math.exp(0.4 * chance.normal() + (answers ? 0.5 : 0)),
    ctx: happens(0.5, 0.3) ? near * chance.uniform() : 0,
    spk: asked.namesSpeaker ? (happens(0.85, 0.5) ? 1 : -1) : 0,
    date: asked.isTemporal && happens(0.25, 0.03) ? chance.uniform() : 0,
    rec: chance.uniform(),
    cue: asked.asksWhenOrCount && happens(0.6, 0.25) ? 1 : 0,
    reply: happens(0.25, 0.15) ? chance.uniform() * lex : 0,
    self: happens(0.6, 0.4) ? chance.uniform() : 0,
    vec: 0,
  };
}
