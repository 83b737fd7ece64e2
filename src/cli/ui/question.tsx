import { Box, Text } from 'ink';
import { useState } from 'react';
import { ColoredText } from './colored-text.tsx';
import { TextField } from './text-field.tsx';

export interface QuestionProps {
  /** Why it is asked. */
  reason?: string;
  label: string;
  /** What an empty answer stands for. */
  proposed?: string | undefined;
  example?: string;
  color: boolean;
  /** What is wrong with an answer, or nothing. */
  faultOf(answer: string): string | undefined;
  onAnswer(answer: string): void;
  onCancel(): void;
}

/** Asks for one line until it is a good one. */
export function Question(props: QuestionProps) {
  const { reason, label, proposed, example, color, faultOf, onAnswer, onCancel } = props;
  const [fault, setFault] = useState<string>();
  function submit(text: string): void {
    const answer = text || (proposed ?? '');
    const found = faultOf(answer);
    if (found === undefined) onAnswer(answer);
    else setFault(found);
  }
  return (
    <Box flexDirection="column">
      {reason === undefined ? null : <Text>{reason}</Text>}
      <TextField
        label={label}
        placeholder={proposed === undefined ? (example ?? '') : `${proposed} (Enter takes it)`}
        color={color}
        onSubmit={submit}
        onCancel={onCancel}
      />
      {fault === undefined ? null : (
        <ColoredText tone="bad" color={color}>
          ✗ {fault}
        </ColoredText>
      )}
    </Box>
  );
}
