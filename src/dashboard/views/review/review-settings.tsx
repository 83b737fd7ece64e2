import { useSignal } from '@preact/signals';
import type { SuggestionSettings } from '../../../client/client.ts';
import {
  isAutomaticKind,
  SUGGESTION_KINDS,
  type SuggestionKind,
  type SuggestionMode,
} from '../../../contract/suggestion-names.ts';
import { describeError } from '../../errors.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { useResource } from '../../resource.ts';
import { currentSession, endSessionOn } from '../../session.ts';
import { ABOUT } from './kinds.ts';

const MODES: Readonly<Record<SuggestionMode, string>> = {
  review: 'Ask me',
  automatic: 'Accept',
  off: 'Do not suggest',
};
const CONFIDENCES = [0.8, 0.9, 0.95, 0.97, 0.99];

/** What happens with suggestions of each kind; loaded when it is opened. */
export function ReviewSettings() {
  const isOpen = useSignal(false);
  return (
    <details class="card review-settings" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>What svc may do automatically</summary>
      {isOpen.value && <Settings />}
    </details>
  );
}

function Settings() {
  const settings = useResource('settings', (signal) => currentSession().client.suggestions.settings.get({ signal }));
  return (
    <Loaded resource={settings} label="Loading what is set">
      {(loaded) => <Kinds loaded={loaded} />}
    </Loaded>
  );
}

function Kinds({ loaded }: { loaded: SuggestionSettings }) {
  const settings = useSignal(loaded);
  const isBusy = useSignal(false);
  const change = async (kind: SuggestionKind, changed: { mode?: SuggestionMode; minConfidence?: number }) => {
    isBusy.value = true;
    try {
      settings.value = await currentSession().client.suggestions.settings.update({ [kind]: changed });
    } catch (error) {
      endSessionOn(error);
      showToast(describeError(error), 'error');
      settings.value = { ...settings.value };
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <div class="stack">
      <p class="hint">
        What svc accepts automatically touches at most 2 % of your memories in a day, and 20; nothing is erased, and
        each can be undone for 30 days. What assistants suggest always waits for you.
      </p>
      <ul class="review-kinds">
        {SUGGESTION_KINDS.map((kind) => (
          <Kind
            key={kind}
            kind={kind}
            settings={settings.value}
            isBusy={isBusy.value}
            onChange={(changed) => void change(kind, changed)}
          />
        ))}
      </ul>
    </div>
  );
}

interface KindProps {
  kind: SuggestionKind;
  settings: SuggestionSettings;
  isBusy: boolean;
  onChange(changed: { mode?: SuggestionMode; minConfidence?: number }): void;
}

function Kind({ kind, settings, isBusy, onChange }: KindProps) {
  const { mode } = settings[kind];
  const automatic = isAutomaticKind(kind) ? settings[kind] : undefined;
  const modes: SuggestionMode[] = automatic ? ['review', 'automatic', 'off'] : ['review', 'off'];
  return (
    <li>
      <label>
        {ABOUT[kind]}
        <select
          value={mode}
          disabled={isBusy}
          onChange={(event) => onChange({ mode: event.currentTarget.value as SuggestionMode })}
        >
          {modes.map((one) => (
            <option key={one} value={one}>
              {MODES[one]}
            </option>
          ))}
        </select>
      </label>
      {automatic?.mode === 'automatic' && (
        <label>
          from
          <select
            aria-label={`${ABOUT[kind]}: least confidence`}
            value={automatic.minConfidence}
            disabled={isBusy}
            onChange={(event) => onChange({ minConfidence: Number(event.currentTarget.value) })}
          >
            {[...new Set([...CONFIDENCES, automatic.minConfidence])].sort().map((confidence) => (
              <option key={confidence} value={confidence}>
                {Math.round(confidence * 100)} % sure
              </option>
            ))}
          </select>
        </label>
      )}
      {automatic?.mode === 'automatic' && automatic.pausedUntil !== null && (
        <p class="hint">
          Two were undone: asks you until <Moment at={automatic.pausedUntil} isUpcoming />.
        </p>
      )}
    </li>
  );
}
