import { Text, useInput } from 'ink';

export interface ConfirmationProps {
  question: string;
  /** The answer that Enter gives. */
  defaultAnswer: boolean;
  onAnswer(yes: boolean): void;
  onCancel(): void;
}

/** A yes-or-no question answered with one key. */
export function Confirmation({ question, defaultAnswer, onAnswer, onCancel }: ConfirmationProps) {
  useInput((input, key) => {
    if (key.ctrl && input === 'c') onCancel();
    else if (key.return) onAnswer(defaultAnswer);
    else if (/^[yn]$/i.test(input)) onAnswer(/y/i.test(input));
  });
  return (
    <Text>
      {question} <Text bold>{defaultAnswer ? '[Y/n]' : '[y/N]'}</Text>
    </Text>
  );
}
