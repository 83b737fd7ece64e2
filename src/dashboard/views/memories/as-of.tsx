import { useSignal } from '@preact/signals';
import { parseTimestamp, systemClock, toTimestamp } from '../../../lib/clock.ts';
import { formatMoment } from '../../format.ts';
import { useResource } from '../../resource.ts';
import { changeParameters, chosenUser } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { Icon } from '../../shell/icon.tsx';

const STEPS = 400;
const SLIDE_PAUSE_MS = 200;

/** A button that opens the slider of "what was known on …". */
export function AsOfButton({ asOfMs }: { asOfMs: number | undefined }) {
  const isOn = asOfMs !== undefined;
  return (
    <button
      type="button"
      class="small"
      aria-pressed={isOn}
      title="See what was known at an earlier time"
      onClick={() => changeParameters({ asOf: isOn ? undefined : toTimestamp(systemClock.nowMs()) })}
    >
      <Icon name="clock" size={16} /> As of
    </button>
  );
}

/** A slider over the time since the first memory: the list shows what was known then. */
export function AsOfSlider({ asOfMs, isSearch }: { asOfMs: number; isSearch: boolean }) {
  const user = chosenUser.value;
  const { state } = useResource(`first ${user ?? ''}`, async (signal) => {
    const query = { limit: 1, order: 'asc' as const, includeSuperseded: true, ...(user !== undefined && { user }) };
    const { data } = await currentSession().client.memories.list(query, { signal });
    return parseTimestamp(data[0]?.createdAt ?? '');
  });
  const shownMs = useSignal(asOfMs);
  const nowMs = systemClock.nowMs();
  const firstMs = Math.min(state.value.value ?? asOfMs, asOfMs);
  const step = Math.max(1, (nowMs - firstMs) / STEPS);
  const timer = useSignal<ReturnType<typeof setTimeout> | undefined>(undefined);
  const slide = (index: number) => {
    shownMs.value = index >= STEPS ? nowMs : Math.round(firstMs + index * step);
    clearTimeout(timer.value);
    timer.value = setTimeout(() => changeParameters({ asOf: toTimestamp(shownMs.value) }, 'replace'), SLIDE_PAUSE_MS);
  };
  return (
    <section class="as-of" aria-label="As of">
      <label class="as-of-label" for="as-of">
        What was known on <strong>{formatMoment(shownMs.value)}</strong>
      </label>
      <input
        id="as-of"
        type="range"
        min={0}
        max={STEPS}
        value={Math.round((shownMs.value - firstMs) / step)}
        aria-valuetext={formatMoment(shownMs.value)}
        onInput={(event) => slide(event.currentTarget.valueAsNumber)}
      />
      <button type="button" class="link" onClick={() => changeParameters({ asOf: undefined })}>
        Back to today
      </button>
      {!isSearch && <p class="as-of-hint">Texts are today’s. Open a memory to read what it said then.</p>}
    </section>
  );
}
