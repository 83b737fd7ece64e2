import { meanRecall, type Recall } from '../recall.ts';

export interface RecallRow extends Recall {
  questions: string;
  count: number;
}

/** Kinds of questions by category: LoCoMo's and REALTALK's to 5, BEAM's from 11 (Tavakoli et al. 2025). */
const KINDS: ReadonlyMap<number, string> = new Map([
  [1, 'multi-hop'],
  [2, 'temporal'],
  [3, 'open-domain'],
  [4, 'single-hop'],
  [5, 'adversarial'],
  [11, 'contradiction'],
  [12, 'order of events'],
  [13, 'single fact'],
  [14, 'instruction'],
  [15, 'updated fact'],
  [16, 'several sessions'],
  [17, 'preference'],
  [18, 'summary'],
  [19, 'time between'],
]);
const ADVERSARIAL = 5;

/** Whether the headline figures count a category: adversarial questions ask for what the wrong person said. */
export function isHeadline(category: number): boolean {
  return category !== ADVERSARIAL;
}

/** A question of a dialogue, and how much of its evidence was found. */
export interface QuestionRecall {
  category: number;
  /** Pieces of evidence. */
  evidence: number;
  recall: Recall;
}

/**
 * One row for all categories but the adversarial one together, one each for those of these questions with one and with
 * several pieces of evidence, then one per category that occurs.
 */
export function recallTable(asked: readonly QuestionRecall[]): RecallRow[] {
  const row = (questions: string, isWanted: (one: QuestionRecall) => boolean) => {
    const recalls = asked.filter(isWanted).map(({ recall }) => recall);
    return { questions, count: recalls.length, ...meanRecall(recalls) };
  };
  const occurring = new Set(asked.map(({ category }) => category));
  return [
    row('all but 5', ({ category }) => isHeadline(category)),
    row('one piece of evidence', ({ category, evidence }) => isHeadline(category) && evidence === 1),
    row('several pieces', ({ category, evidence }) => isHeadline(category) && evidence > 1),
    ...[...KINDS]
      .filter(([category]) => occurring.has(category))
      .map(([category, kind]) => row(`${category} ${kind}`, (one) => one.category === category)),
  ];
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
