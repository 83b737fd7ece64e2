import { titleOfClient } from '../../../cli/assistants/assistant-names.ts';
import type { ActivityEntry } from '../../../contract/activity.ts';
import { formatMs } from '../../format.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Moment } from '../../parts/moment.tsx';
import { SidePane } from '../../parts/side-pane.tsx';
import { changeParameters, hrefOf } from '../../router.ts';
import { hrefOfId } from './activity-filter.ts';

/** Everything recorded of a request. */
export function RequestDetail({ entry }: { entry: ActivityEntry }) {
  return (
    <SidePane title="Request" onClose={() => changeParameters({ id: undefined })}>
      <dl class="facts">
        <dt>What</dt>
        <dd>
          <code>
            {entry.method} {entry.route}
          </code>
        </dd>
        <dt>Client</dt>
        <dd>
          <span title={entry.client}>{titleOfClient(entry.client)}</span>{' '}
          <span class="chip">{entry.transport === 'mcp' ? 'MCP' : 'REST'}</span>
        </dd>
        {entry.author !== null && (
          <>
            <dt>Member</dt>
            <dd>{entry.author}</dd>
          </>
        )}
        <dt>When</dt>
        <dd>
          <Moment at={entry.at} />
        </dd>
        <dt>Status</dt>
        <dd>{entry.status}</dd>
        <dt>Took</dt>
        <dd>{formatMs(entry.milliseconds)}</dd>
        <dt>Request id</dt>
        <dd>
          <code>{entry.id}</code> <CopyButton isIcon label="Copy the request id" text={() => entry.id} />
        </dd>
      </dl>
      {entry.searchId && (
        <p>
          <a class="button" href={hrefOf('recall', { searchId: entry.searchId })}>
            Open this search in Recall
          </a>
        </p>
      )}
      {entry.ids.length > 0 && (
        <section class="stack">
          <h3>
            What it found or wrote
            {(entry.itemCount ?? 0) > entry.ids.length && `: the first ${entry.ids.length} of ${entry.itemCount}`}
          </h3>
          <ul class="stack">
            {entry.ids.map((id) => {
              const href = hrefOfId(id);
              return <li key={id}>{href ? <a href={href}>{id}</a> : <code>{id}</code>}</li>;
            })}
          </ul>
        </section>
      )}
      <p class="hint">Requests are kept for 30 days, without what was asked or answered.</p>
    </SidePane>
  );
}
