import type { SearchTimings } from '../../../client/client.ts';
import { formatMs } from '../../format.ts';
import { stagesOf } from './stages.ts';

/** How long each stage of a search took: a bar, and the figures of its parts. */
export function StageBar({ timings }: { timings: SearchTimings }) {
  const stages = stagesOf(timings);
  return (
    <section class="stages" aria-label="Time of each stage">
      <div class="stage-bar" aria-hidden="true">
        {stages.map(({ name, share }) => (
          <span key={name} class={`stage-${name}`} style={{ inlineSize: `${share * 100}%` }} />
        ))}
      </div>
      <ul class="legend">
        {stages.map(({ name, label, ms }) => (
          <li key={name}>
            <span class={`legend-color stage-${name}`} aria-hidden="true" />
            {label} <strong>{formatStage(ms)}</strong>
          </li>
        ))}
        <li>
          in all <strong>{formatStage(timings.totalMs)}</strong>
        </li>
      </ul>
    </section>
  );
}

/** `0.42` milliseconds as `0.4 ms`. */
function formatStage(ms: number): string {
  if (ms >= 10) return formatMs(ms);
  return ms < 0.05 ? '< 0.1 ms' : `${ms.toFixed(1)} ms`;
}
