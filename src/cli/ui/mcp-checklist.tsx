import { Box, Text, useInput } from 'ink';
import { useState } from 'react';
import { Toned } from './toned.tsx';

/** One assistant to choose, or to see that there is nothing to choose. */
export interface ChecklistRow {
  id: string;
  title: string;
  /** What would happen, or why nothing can. */
  about: string;
  state: 'open' | 'done' | 'fault';
  /** Chosen to begin with. */
  chosen?: boolean;
}

export interface McpChecklistProps {
  question: string;
  rows: readonly ChecklistRow[];
  colour: boolean;
  onApply(ids: string[]): void;
  onCancel(): void;
}

/** A list of assistants to tick. Only what can be changed can be reached. */
export function McpChecklist({ question, rows, colour, onApply, onCancel }: McpChecklistProps) {
  const open = rows.filter(({ state }) => state === 'open');
  const [chosen, setChosen] = useState(() => new Set(open.filter((row) => row.chosen).map(({ id }) => id)));
  const [at, setAt] = useState(0);
  const toggle = (id: string | undefined) => {
    if (id !== undefined)
      setChosen((before) => new Set(before.has(id) ? [...before].filter((other) => other !== id) : [...before, id]));
  };
  const toggleAll = () => {
    setChosen((before) => new Set(before.size === open.length ? [] : open.map(({ id }) => id)));
  };
  useInput((input, key) => {
    if (key.escape || input === 'q' || (key.ctrl && input === 'c')) onCancel();
    else if (key.return) onApply(open.filter(({ id }) => chosen.has(id)).map(({ id }) => id));
    else if (key.upArrow || input === 'k') setAt((before) => Math.max(0, before - 1));
    else if (key.downArrow || input === 'j') setAt((before) => Math.min(open.length - 1, before + 1));
    else if (input === ' ') toggle(open[at]?.id);
    else if (input === 'a') toggleAll();
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
          colour={colour}
        />
      ))}
      <Text dimColor={colour}>space choose · a all · enter apply ({chosen.size}) · esc leave as it is</Text>
    </Box>
  );
}

interface RowProps {
  row: ChecklistRow;
  width: number;
  here: boolean;
  chosen: boolean;
  colour: boolean;
}

function Row({ row, width, here, chosen, colour }: RowProps) {
  const open = row.state === 'open';
  return (
    <Text wrap="truncate-end">
      {here ? '› ' : '  '}
      <Sign state={row.state} chosen={chosen} colour={colour} />{' '}
      <Text bold={here} dimColor={colour && !open}>
        {row.title.padEnd(width)}
      </Text>
      {'  '}
      <Text dimColor={colour}>{row.about}</Text>
    </Text>
  );
}

function Sign({ state, chosen, colour }: { state: ChecklistRow['state']; chosen: boolean; colour: boolean }) {
  if (state === 'fault') {
    return (
      <Toned tone="bad" colour={colour}>
        ✗
      </Toned>
    );
  }
  if (state === 'open' && !chosen) return <Text>◯</Text>;
  return (
    <Toned tone="good" colour={colour}>
      {state === 'done' ? '✓' : '◉'}
    </Toned>
  );
}
