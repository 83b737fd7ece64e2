import { daemonState } from '../daemon-state.ts';
import { describeState } from '../readiness.ts';
import { Icon } from './icon.tsx';

/** A banner on every view if the daemon cannot store, does not respond, or needs attention. */
export function DaemonBanner() {
  const { kind } = daemonState.value;
  const said = describeState(daemonState.value);
  return (
    <div class="daemon-banner" role="status">
      {said && (
        <p class={kind === 'warned' ? 'caution' : 'notice is-error'}>
          <Icon name="warning" />
          <span>
            <strong>{said.title}</strong> {said.text}
          </span>
        </p>
      )}
    </div>
  );
}
