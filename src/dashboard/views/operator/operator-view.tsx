import { useEffect } from 'preact/hooks';
import type { OperatorOverview } from '../../../contract/operator.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useResource } from '../../resource.ts';
import { operatorMessage, operatorTransport } from '../../shell/operator-session.ts';
import { AccountsCard } from './accounts-card.tsx';
import { InvitationsCard } from './invitations-card.tsx';
import { LatenciesCard } from './latencies-card.tsx';
import { MaintenanceCards } from './maintenance-cards.tsx';
import { operatorCalls } from './operator-calls.ts';
import { OverviewCards } from './overview-cards.tsx';

/** How often a running backup or check is asked for its progress. */
const POLL_MS = 1000;

/** The operator's view: what `svc admin` does, in the browser. */
export function View() {
  if (operatorTransport.value) return <Operator />;
  return (
    <Empty icon="operator" title="The operator view is closed">
      {operatorMessage.value && <p role="status">{operatorMessage.value}</p>}
      <p>
        Run <code>svc admin open</code> on the daemon’s machine. Its link works once, for 60 seconds, and only there.
      </p>
    </Empty>
  );
}

function Operator() {
  const overview = useResource('overview', (signal) => operatorCalls.overview(signal));
  const { value, isLoading } = overview.state.value;
  const isBusy = value !== undefined && isRunning(value);
  useEffect(() => {
    if (!isBusy || isLoading) return undefined;
    const timer = setTimeout(overview.reload, POLL_MS);
    return () => clearTimeout(timer);
  }, [isBusy, isLoading]);
  return (
    <div class="stack">
      <Loaded resource={overview} rows={4}>
        {(loaded) => (
          <>
            <OverviewCards overview={loaded} onRefresh={overview.reload} />
            <MaintenanceCards overview={loaded} onStarted={overview.reload} />
          </>
        )}
      </Loaded>
      <AccountsCard />
      <div class="operator-columns">
        {value && <LatenciesCard requests={value.requests} />}
        <InvitationsCard />
      </div>
    </div>
  );
}

function isRunning({ check, backups }: OperatorOverview): boolean {
  return check?.state === 'running' || backups?.task?.state === 'running';
}
