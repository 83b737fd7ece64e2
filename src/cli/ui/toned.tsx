import { Text } from 'ink';
import type { ReactNode } from 'react';

const COLOURS = { good: 'green', bad: 'red' } as const;

export interface TonedProps {
  tone: keyof typeof COLOURS;
  /** False where no colour is wanted; ink itself does not know `NO_COLOR`. */
  colour: boolean;
  children: ReactNode;
}

export function Toned({ tone, colour, children }: TonedProps) {
  return <Text {...(colour && { color: COLOURS[tone] })}>{children}</Text>;
}
