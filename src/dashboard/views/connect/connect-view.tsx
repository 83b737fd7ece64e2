import { useEffect } from 'preact/hooks';
import { findAssistant } from '../../../cli/assistants/assistant-table.ts';
import { onChanges } from '../../live.ts';
import { SidePane } from '../../parts/side-pane.tsx';
import { useResource } from '../../resource.ts';
import { changeParameters, parameters } from '../../router.ts';
import { currentSession } from '../../session.ts';
import { AnyClient } from './any-client.tsx';
import { AssistantSetup } from './assistant-setup.tsx';
import { AssistantTiles } from './assistant-tiles.tsx';
import { FreshKey, KeyCard } from './key-card.tsx';

/** Sets up assistants, and shows what may use the account. */
export function View() {
  const { client, freshKey } = currentSession();
  const account = useResource('account', (signal) => client.account.get({ signal }));
  useEffect(() => onChanges(['account'], account.reload), []);
  const chosen = findAssistant(parameters.value.get('assistant') ?? '');
  return (
    <div class={`with-pane${chosen ? ' is-open' : ''}`}>
      <div class="stack">
        {freshKey && <FreshKey apiKey={freshKey} />}
        <AssistantTiles chosen={chosen?.id} />
        <div class="grid connect-cards">
          <AnyClient />
          <KeyCard account={account} />
        </div>
      </div>
      {chosen && (
        <SidePane
          key={chosen.id}
          title={`Connect ${chosen.title}`}
          onClose={() => changeParameters({ assistant: undefined, via: undefined, system: undefined })}
        >
          <AssistantSetup assistant={chosen} />
        </SidePane>
      )}
    </div>
  );
}
