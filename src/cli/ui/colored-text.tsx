import { Text } from 'ink';
import type { ReactNode } from 'react';

const COLORS = { good: 'green', bad: 'red' } as const;

export interface ColoredTextProps {
  tone: keyof typeof COLORS;
  /** False disables color; ink itself ignores `NO_COLOR`. */
  color: boolean;
  children: ReactNode;
}

export function ColoredText({ tone, color, children }: ColoredTextProps) {
  return <Text {...(color && { color: COLORS[tone] })}>{children}</Text>;
}
