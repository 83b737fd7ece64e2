import { Box, Text, useInput, useStdout } from 'ink';
import { Fragment, useRef, useState } from 'react';
import { ColoredText } from './colored-text.tsx';

/** A row of the checklist. Only rows in the state `open` can be selected. */
export interface ChecklistRow {
  id: string;
  title: string;
  /** The heading that the row stands under. “All” means the rows without one. */
  section?: string;
  /** The change, or why it is impossible. */
  about: string;
  /** The benefit of the change, shown while the cursor is on the row. */
  explanation?: string;
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
  const here = open[at];
  const { rows: shown, above, below } = useWindow(rows, here);
  return (
    <Box flexDirection="column">
      <Text bold>{question}</Text>
      {above > 0 ? <Text dimColor={color}> ↑ {above} more</Text> : null}
      {shown.map((row, index) => (
        <Fragment key={row.id}>
          {row.section !== undefined && row.section !== shown[index - 1]?.section ? (
            <Text bold>{row.section}</Text>
          ) : null}
          <Row row={row} width={width} here={here?.id === row.id} chosen={chosen.has(row.id)} color={color} />
        </Fragment>
      ))}
      {below > 0 ? <Text dimColor={color}> ↓ {below} more</Text> : null}
      {here?.explanation ? <Text>{here.explanation}</Text> : null}
      <Text dimColor={color}>space select · a all · enter apply ({chosen.size}) · esc cancel</Text>
    </Box>
  );
}

/** Columns below which headings, explanations and keys wrap. */
const NARROW = 70;

interface RowWindow {
  rows: readonly ChecklistRow[];
  /** How many rows are hidden before and after them. */
  above: number;
  below: number;
}

/** Returns as many rows around the one under the cursor as the terminal has lines for beside everything else. */
function useWindow(rows: readonly ChecklistRow[], here: ChecklistRow | undefined): RowWindow {
  const { stdout } = useStdout();
  const otherLines = stdout.columns < NARROW ? 15 : 9;
  const size = Math.max((stdout.rows ?? Number.POSITIVE_INFINITY) - otherLines, 3);
  if (rows.length <= size) return { rows, above: 0, below: 0 };
  const wanted = (here ? rows.indexOf(here) : 0) - Math.floor(size / 2);
  const above = Math.min(Math.max(wanted, 0), rows.length - size);
  return { rows: rows.slice(above, above + size), above, below: rows.length - above - size };
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

/** Selects all rows without a section, or none of them. If all rows have one, means those. */
function allOrNone(chosen: ReadonlySet<string>, open: readonly ChecklistRow[]): Set<string> {
  const main = open.filter(({ section }) => section === undefined);
  const ids = (main.length > 0 ? main : open).map(({ id }) => id);
  if (ids.every((id) => chosen.has(id))) return new Set([...chosen].filter((id) => !ids.includes(id)));
  return new Set([...chosen, ...ids]);
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
