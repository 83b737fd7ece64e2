import { Box, Text, useInput } from 'ink';
import type { SuggestionLine } from '../review/suggestion-text.ts';
import { ColoredText } from './colored-text.tsx';

/** What a person does with the suggestion that is shown. */
export type ReviewKey =
  | { action: 'accept' | 'edit' | 'reject' | 'undo' | 'next' | 'previous' | 'quit' }
  | { action: 'keep'; number: number };

export interface ReviewCardProps {
  /** "3 of 12". */
  place: string;
  title: string;
  source: string;
  reason: string;
  lines: readonly SuggestionLine[];
  /** The outcome of the last key. */
  notice: string;
  /** How many memories there are to choose from by number; 0 where nothing is to be chosen. */
  choices: number;
  /** Nothing is left to decide: the last decision can be undone. */
  isDone: boolean;
  color: boolean;
  onKey(key: ReviewKey): void;
}

const ACTIONS: Readonly<Record<string, Exclude<ReviewKey['action'], 'keep'>>> = {
  a: 'accept',
  e: 'edit',
  r: 'reject',
  u: 'undo',
  j: 'next',
  k: 'previous',
  q: 'quit',
};

/** One suggestion with what it would change, decided by a key. */
export function ReviewCard(props: ReviewCardProps) {
  const { place, title, source, reason, lines, notice, choices, isDone, color, onKey } = props;
  useInput((input, key) => {
    if (key.escape || (isDone && key.return) || (key.ctrl && input === 'c')) return onKey({ action: 'quit' });
    if (key.downArrow) return onKey({ action: 'next' });
    if (key.upArrow) return onKey({ action: 'previous' });
    const number = Number(input);
    if (choices > 0 && number >= 1 && number <= choices) return onKey({ action: 'keep', number });
    const action = ACTIONS[input];
    if (isDone && action !== 'undo' && action !== 'quit') return;
    if (action === undefined || (choices > 0 && (action === 'accept' || action === 'edit'))) return;
    onKey({ action });
  });
  const accept = choices > 0 ? `1–${choices} keep that one` : 'a accept · e edit and accept';
  return (
    <Box flexDirection="column">
      {notice === '' ? null : <Text dimColor={color}>{notice}</Text>}
      <Text>
        <Text bold>{title}</Text>
        <Text dimColor={color}> {place}</Text>
      </Text>
      {lines.map(({ mark, text }) => (
        <Line key={`${mark} ${text}`} mark={mark} text={text} color={color} />
      ))}
      {isDone ? null : (
        <Text dimColor={color}>
          {reason} {source}
        </Text>
      )}
      <Text dimColor={color}>
        {isDone ? 'u undo · q quit' : `${accept} · r reject · u undo · j next · k previous · q quit`}
      </Text>
    </Box>
  );
}

function Line({ mark, text, color }: SuggestionLine & { color: boolean }) {
  const line = `  ${mark} ${text}`;
  if (mark !== '-' && mark !== '+') return <Text>{line}</Text>;
  return (
    <ColoredText tone={mark === '+' ? 'good' : 'bad'} color={color}>
      {line}
    </ColoredText>
  );
}
