import { useSignal } from '@preact/signals';
import type { SearchResult } from '../../../client/client.ts';
import { formatFigure, formatShare } from '../../format.ts';
import { signalLabel } from '../../ranking-words.ts';
import { mainPart, type SignalPart, signalParts } from './signal-parts.ts';

/**
 * What each signal adds to a result's score, as parts of a bar; what takes away stands left of its start. The line below
 * names the largest part, or the one under the pointer. The table of reasons has the same figures.
 */
export function SignalBar({ result, range }: { result: SearchResult; range: { least: number; most: number } }) {
  const pointed = useSignal<SignalPart | undefined>(undefined);
  const parts = signalParts(result);
  const span = range.most - range.least;
  const widthOf = ({ points }: SignalPart) => `${(Math.abs(points) / span) * 100}%`;
  const lost = parts.filter(({ points }) => points < 0);
  const gained = parts.filter(({ points }) => points > 0);
  const lostPoints = lost.reduce((sum, { points }) => sum + points, 0);
  const before = { inlineSize: `${((lostPoints - range.least) / span) * 100}%` };
  const partOf = (part: SignalPart) => (
    <span
      key={part.name}
      class={`signal-part signal-${part.name}${part.points < 0 ? ' is-lost' : ''}`}
      style={{ inlineSize: widthOf(part) }}
      onPointerEnter={() => (pointed.value = part)}
    />
  );
  return (
    <div class="signal-bar" onPointerLeave={() => (pointed.value = undefined)}>
      <div class="signal-parts" aria-hidden="true">
        {range.least < 0 && <span style={before} />}
        {lost.map(partOf)}
        {gained.map(partOf)}
      </div>
      <span class="signal-note">{pointed.value ? describePart(pointed.value) : describeMain(parts)}</span>
    </div>
  );
}

function describePart({ name, value, weight, points }: SignalPart): string {
  return `${signalLabel(name)}: ${formatFigure(value)} × ${formatFigure(weight)} = ${formatFigure(points)}`;
}

function describeMain(parts: readonly SignalPart[]): string {
  const main = mainPart(parts);
  if (!main) return 'no signal';
  return main.share > 0.995 ? signalLabel(main.name) : `${formatShare(main.share)} ${signalLabel(main.name)}`;
}

/** The colors of the signals that contribute. */
export function Legend({ names, hasLosses }: { names: readonly string[]; hasLosses: boolean }) {
  return (
    <ul class="legend" aria-label="Signals">
      {names.map((name) => (
        <li key={name}>
          <span class={`legend-color signal-${name}`} aria-hidden="true" />
          {signalLabel(name)}
        </li>
      ))}
      {hasLosses && (
        <li>
          <span class="legend-color is-lost" aria-hidden="true" />
          takes away
        </li>
      )}
    </ul>
  );
}
