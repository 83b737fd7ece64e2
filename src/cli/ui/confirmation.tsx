import { Text, useInput } from 'ink';

export interface ConfirmationProps {
  question: string;
  /** What Enter stands for. */
  otherwise: boolean;
  onAnswer(yes: boolean): void;
  onCancel(): void;
}

/** A question that one key answers. */
export function Confirmation({ question, otherwise, onAnswer, onCancel }: ConfirmationProps) {
  useInput((input, key) => {
    if (key.ctrl && input === 'c') onCancel();
    else if (key.return) onAnswer(otherwise);
    else if (/^[yn]$/i.test(input)) onAnswer(/y/i.test(input));
  });
  return (
    <Text>
      {question} <Text bold>{otherwise ? '[Y/n]' : '[y/N]'}</Text>
    </Text>
  );
}
