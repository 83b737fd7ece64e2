import { useEffect } from 'preact/hooks';
import { findAssistant } from '../../../cli/assistants/assistant-table.ts';
import { onChanges } from '../../live.ts';
import { Failure } from '../../parts/failure.tsx';
import { SidePane } from '../../parts/side-pane.tsx';
import { useResource } from '../../resource.ts';
import { changeParameters, parameters } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { AllowDevice } from './allow-device.tsx';
import { AnyClient } from './any-client.tsx';
import { AssistantSetup } from './assistant-setup.tsx';
import { AssistantTiles } from './assistant-tiles.tsx';
import { ConnectionStatus } from './connection-status.tsx';
import { ConnectionsCard } from './connections-card.tsx';
import { FreshKey, KeyCard } from './key-card.tsx';
import { lastSeen, loadLatestClients, loadSeenClients, otherClients } from './seen-clients.ts';

/** Sets up assistants, and shows what may use the account. */
export function View() {
  const { client, freshKey } = currentSession();
  const account = useResource('account', (signal) => client.account.get({ signal }));
  const clients = useResource('clients', (signal) => loadSeenClients(client, signal));
  useEffect(() => onChanges(['account'], account.reload), []);
  const latest = useResource('latest', (signal) => loadLatestClients(client, signal));
  useEffect(() => onChanges(['memory', 'conversation', 'feedback'], latest.reload), []);
  const { value = [], error } = clients.state.value;
  const found = [...(latest.state.value.value ?? []), ...value];
  const seen = lastSeen(found);
  const device = parameters.value.get('device');
  const chosen = findAssistant(parameters.value.get('assistant') ?? '');
  return (
    <div class={`with-pane${chosen ? ' is-open' : ''}`}>
      <div class="stack">
        {device && <AllowDevice key={device} userCode={device} />}
        {freshKey && <FreshKey apiKey={freshKey} />}
        {error !== undefined && <Failure error={error} onRetry={clients.reload} />}
        <AssistantTiles chosen={chosen?.id} seen={seen} otherClients={otherClients(found)} />
        <div class="grid connect-cards">
          <AnyClient />
          <KeyCard account={account} />
        </div>
        <ConnectionsCard />
      </div>
      {chosen && (
        <SidePane
          key={chosen.id}
          title={`Connect ${chosen.title}`}
          onClose={() => changeParameters({ assistant: undefined, via: undefined, system: undefined })}
        >
          <ConnectionStatus title={chosen.title} lastSeenAt={seen.get(chosen.id)} onLook={latest.reload} />
          <AssistantSetup assistant={chosen} />
        </SidePane>
      )}
    </div>
  );
}
