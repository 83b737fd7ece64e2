import { Text, useInput } from 'ink';
import { useRef, useState } from 'react';
import { ColoredText } from './colored-text.tsx';
import { editLine, type Line } from './line-edit.ts';

const EMPTY: Line = { text: '', cursor: 0 };

export interface TextFieldProps {
  label: string;
  /** Shown while nothing is typed. */
  placeholder?: string;
  color: boolean;
  /** Also called with empty lines. The field is cleared afterwards. */
  onSubmit(text: string): void;
  onCancel(): void;
}

/** One line to type into. Enter submits it, Ctrl-C cancels. */
export function TextField({ label, placeholder = '', color, onSubmit, onCancel }: TextFieldProps) {
  const [line, setLine] = useState<Line>(EMPTY);
  // Keys may arrive faster than renders: each one must see the result of the one before.
  const typed = useRef(line);
  function update(next: Line): void {
    typed.current = next;
    setLine(next);
  }
  useInput((input, key) => {
    if (key.ctrl && input === 'c') return onCancel();
    // A paste may include the line end.
    const isEnd = key.return || /[\r\n]/.test(input);
    const next = key.return ? typed.current : editLine(typed.current, input, key);
    update(isEnd ? EMPTY : next);
    if (isEnd) onSubmit(next.text.trim());
  });
  return (
    <Text>
      <ColoredText tone="good" color={color}>
        ›
      </ColoredText>{' '}
      {label}{' '}
      {line.text === '' ? (
        <Placeholder text={placeholder} color={color} />
      ) : (
        <>
          {line.text.slice(0, line.cursor)}
          <Text inverse>{line.text[line.cursor] ?? ' '}</Text>
          {line.text.slice(line.cursor + 1)}
        </>
      )}
    </Text>
  );
}

function Placeholder({ text, color }: { text: string; color: boolean }) {
  return (
    <>
      <Text inverse>{text[0] ?? ' '}</Text>
      <Text dimColor={color}>{text.slice(1)}</Text>
    </>
  );
}
