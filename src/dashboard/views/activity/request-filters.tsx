import { titleOfClient } from '../../../cli/assistants/assistant-names.ts';
import type { ActivityStats } from '../../../contract/activity.ts';
import { changeParameters, parameters } from '../../router.ts';

const STATUSES = [
  { value: '2xx', title: 'Succeeded' },
  { value: '4xx', title: 'Refused (4xx)' },
  { value: '5xx', title: 'Failed (5xx)' },
];

/** Selects requests by client, transport, status and time. */
export function RequestFilters({ clients }: { clients: ActivityStats['clients'] }) {
  const given = parameters.value;
  const client = given.get('client') ?? '';
  const names = [...new Set([...clients.map((one) => one.client), ...(client === '' ? [] : [client])])];
  return (
    <>
      <label>
        <span class="unseen">Client</span>
        <select
          value={client}
          onChange={(event) => changeParameters({ client: event.currentTarget.value, id: undefined })}
        >
          <option value="">All clients</option>
          {names.map((name) => (
            <option key={name} value={name}>
              {titleOfClient(name)}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span class="unseen">Transport</span>
        <select
          value={given.get('transport') ?? ''}
          onChange={(event) => changeParameters({ transport: event.currentTarget.value, id: undefined })}
        >
          <option value="">REST and MCP</option>
          <option value="rest">REST</option>
          <option value="mcp">MCP</option>
        </select>
      </label>
      <label>
        <span class="unseen">Status</span>
        <select
          value={given.get('status') ?? ''}
          onChange={(event) => changeParameters({ status: event.currentTarget.value, id: undefined })}
        >
          <option value="">Any status</option>
          {STATUSES.map(({ value, title }) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={given.has('own')}
          onChange={(event) => changeParameters({ own: event.currentTarget.checked ? '1' : undefined })}
        />
        This app
      </label>
    </>
  );
}
