import { Box, Text } from 'ink';
import { useState } from 'react';
import { ColoredText } from './colored-text.tsx';
import { TextField } from './text-field.tsx';

export interface QuestionProps {
  /** Why the question is asked; shown above it. */
  reason?: string;
  label: string;
  /** The answer that an empty line gives. */
  defaultAnswer?: string | undefined;
  example?: string;
  color: boolean;
  /** Returns what is wrong with an answer, or `undefined` if it is valid. */
  validate(answer: string): string | undefined;
  onAnswer(answer: string): void;
  onCancel(): void;
}

/** Asks for one line of input until it is valid. */
export function Question(props: QuestionProps) {
  const { reason, label, defaultAnswer, example, color, validate, onAnswer, onCancel } = props;
  const [error, setError] = useState<string>();
  function submit(text: string): void {
    const answer = text || (defaultAnswer ?? '');
    const problem = validate(answer);
    if (problem === undefined) onAnswer(answer);
    else setError(problem);
  }
  return (
    <Box flexDirection="column">
      {reason === undefined ? null : <Text>{reason}</Text>}
      <TextField
        label={label}
        placeholder={defaultAnswer === undefined ? (example ?? '') : `${defaultAnswer} (press Enter to accept)`}
        color={color}
        onSubmit={submit}
        onCancel={onCancel}
      />
      {error === undefined ? null : (
        <ColoredText tone="bad" color={color}>
          ✗ {error}
        </ColoredText>
      )}
    </Box>
  );
}
