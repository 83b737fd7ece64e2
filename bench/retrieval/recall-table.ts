import { meanRecall, type Recall } from '../recall.ts';

export interface RecallRow extends Recall {
  questions: string;
  count: number;
}

const KINDS = ['', '1 multi-hop', '2 temporal', '3 open-domain', '4 single-hop', '5 adversarial'];

/** One row for categories 1 to 4 together, then one per category. */
export function recallTable(asked: readonly { category: number; recall: Recall }[]): RecallRow[] {
  const row = (questions: string, wanted: (category: number) => boolean) => {
    const recalls = asked.filter(({ category }) => wanted(category)).map(({ recall }) => recall);
    return { questions, count: recalls.length, ...meanRecall(recalls) };
  };
  return [
    row('1 to 4', (category) => category <= 4),
    ...[1, 2, 3, 4, 5].map((one) => row(KINDS[one]!, (category) => category === one)),
  ];
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
