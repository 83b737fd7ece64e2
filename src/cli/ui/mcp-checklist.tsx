import { Box, Text, useInput } from 'ink';
import { useRef, useState } from 'react';
import { ColoredText } from './colored-text.tsx';

/** A row of the checklist. Only rows in the state `open` can be selected. */
export interface ChecklistRow {
  id: string;
  title: string;
  /** What would change, or why it cannot. */
  about: string;
  state: 'open' | 'done' | 'error';
  /** Selected initially. */
  chosen?: boolean;
}

export interface McpChecklistProps {
  question: string;
  rows: readonly ChecklistRow[];
  color: boolean;
  onApply(ids: string[]): void;
  onCancel(): void;
}

/** A checklist of assistants. The cursor skips rows that cannot be changed. */
export function McpChecklist({ question, rows, color, onApply, onCancel }: McpChecklistProps) {
  const open = rows.filter(({ state }) => state === 'open');
  const { now, change } = useChoice(open);
  const { at, chosen } = now();
  useInput((input, key) => {
    if (key.escape || input === 'q' || (key.ctrl && input === 'c')) onCancel();
    else if (key.return) onApply(open.filter(({ id }) => now().chosen.has(id)).map(({ id }) => id));
    else if (key.upArrow || input === 'k') change({ at: Math.max(0, now().at - 1) });
    else if (key.downArrow || input === 'j') change({ at: Math.min(open.length - 1, now().at + 1) });
    else if (input === ' ') change({ chosen: toggled(now().chosen, open[now().at]?.id) });
    else if (input === 'a') change({ chosen: allOrNone(now().chosen, open) });
  });
  const width = Math.max(...rows.map(({ title }) => title.length));
  return (
    <Box flexDirection="column">
      <Text bold>{question}</Text>
      {rows.map((row) => (
        <Row
          key={row.id}
          row={row}
          width={width}
          here={open[at]?.id === row.id}
          chosen={chosen.has(row.id)}
          color={color}
        />
      ))}
      <Text dimColor={color}>space select · a all · enter apply ({chosen.size}) · esc cancel</Text>
    </Box>
  );
}

interface Choice {
  at: number;
  chosen: ReadonlySet<string>;
}

/** Holds the selection in a ref, because keys can arrive faster than renders and each must see the latest state. */
function useChoice(open: readonly ChecklistRow[]) {
  const choice = useRef<Choice>({ at: 0, chosen: new Set(open.filter((row) => row.chosen).map(({ id }) => id)) });
  const [, redraw] = useState(0);
  const change = (to: Partial<Choice>) => {
    choice.current = { ...choice.current, ...to };
    redraw((count) => count + 1);
  };
  return { now: () => choice.current, change };
}

function toggled(chosen: ReadonlySet<string>, id: string | undefined): Set<string> {
  if (id === undefined) return new Set(chosen);
  return chosen.has(id) ? new Set([...chosen].filter((other) => other !== id)) : new Set([...chosen, id]);
}

function allOrNone(chosen: ReadonlySet<string>, open: readonly ChecklistRow[]): Set<string> {
  return new Set(chosen.size === open.length ? [] : open.map(({ id }) => id));
}

interface RowProps {
  row: ChecklistRow;
  width: number;
  here: boolean;
  chosen: boolean;
  color: boolean;
}

function Row({ row, width, here, chosen, color }: RowProps) {
  const open = row.state === 'open';
  return (
    <Text wrap="truncate-end">
      {here ? '› ' : '  '}
      <StateIcon state={row.state} chosen={chosen} color={color} />{' '}
      <Text bold={here} dimColor={color && !open}>
        {row.title.padEnd(width)}
      </Text>
      {'  '}
      <Text dimColor={color}>{row.about}</Text>
    </Text>
  );
}

function StateIcon({ state, chosen, color }: { state: ChecklistRow['state']; chosen: boolean; color: boolean }) {
  if (state === 'error') {
    return (
      <ColoredText tone="bad" color={color}>
        ✗
      </ColoredText>
    );
  }
  if (state === 'open' && !chosen) return <Text>◯</Text>;
  return (
    <ColoredText tone="good" color={color}>
      {state === 'done' ? '✓' : '◉'}
    </ColoredText>
  );
}
