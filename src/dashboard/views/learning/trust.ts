import type { Retrieval } from '../../../client/client.ts';

/** How much an expert is trusted, and what it represents. */
export interface Trust {
  expert: string;
  label: string;
  share: number;
}

const LABELS: Record<string, string> = {
  careful: 'Learned, in small steps',
  medium: 'Learned, in medium steps',
  bold: 'Learned, in large steps',
  default: 'The default order',
  chance: 'Chance: feedback without a pattern',
};
const LEARNERS = ['careful', 'medium', 'bold'];

/** The mixture with labels, what was learned first. */
export function trustOf({ mixture }: Pick<Retrieval, 'mixture'>): Trust[] {
  const known = Object.keys(LABELS).filter((expert) => expert in mixture);
  const others = Object.keys(mixture).filter((expert) => !(expert in LABELS));
  return [...known, ...others].map((expert) => ({
    expert,
    label: LABELS[expert] ?? expert,
    share: mixture[expert]!,
  }));
}

/** The share of what was learned in the order; 0 to 1. */
export function learnedShare({ mixture }: Pick<Retrieval, 'mixture'>): number {
  return LEARNERS.reduce((sum, expert) => sum + (mixture[expert] ?? 0), 0);
}

/** Says which way to rank decides the order; not whether it ranks better, which the places say. */
export function describeTrust({ mixture, events }: Pick<Retrieval, 'mixture' | 'events'>): string {
  if (events === 0) return 'No feedback yet: every user starts like this.';
  if ((mixture.chance ?? 0) > 0.5) return 'The feedback so far has no pattern, so the order hardly changes.';
  const learned = learnedShare({ mixture });
  if (learned > 0.5) return 'Mostly what was learned decides the order.';
  if (learned > 0.2) return 'What was learned takes part in the order.';
  return 'Mostly the default order decides. It takes more feedback to change it.';
}
