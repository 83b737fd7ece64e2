import { useSignal } from '@preact/signals';
import type { Tier } from '../../../client/client.ts';
import { formatSize } from '../../../contract/byte-size.ts';
import type { OperatorTenant, OperatorTenantsQuery } from '../../../contract/operator.ts';
import { formatCount, formatNumber } from '../../format.ts';
import { confirm } from '../../parts/confirmation.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Moment } from '../../parts/moment.tsx';
import { type PageList, usePageList } from '../../parts/page-list.ts';
import { SearchField } from '../../parts/search-field.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { changeParameters, parameters } from '../../router.ts';
import { Icon } from '../../shell/icon.tsx';
import { operatorCalls, sayFailure } from './operator-calls.ts';

type Sort = NonNullable<OperatorTenantsQuery['sort']>;

/** Spelled out: the module that has them would bring the schemas of the API into the page. */
const TIERS: readonly Tier[] = ['Free', 'Pro', 'Enterprise'];

const SORTS: readonly { value: Sort; title: string }[] = [
  { value: 'created', title: 'Newest first' },
  { value: 'email', title: 'By address' },
  { value: 'storedBytes', title: 'Largest first' },
];

/** The accounts of the database: their tier can be changed, and they can be erased. */
export function AccountsCard() {
  const email = parameters.value.get('q') ?? '';
  const sort = SORTS.find(({ value }) => value === parameters.value.get('sort'))?.value ?? 'created';
  const list = usePageList(`${sort} ${email}`, (cursor, signal) =>
    operatorCalls.tenants(
      { sort, limit: 50, ...(email !== '' && { email }), ...(cursor !== undefined && { cursor }) },
      signal,
    ),
  );
  return (
    <section class="card stack" aria-labelledby="accounts-title">
      <div class="card-head">
        <h2 id="accounts-title">Accounts</h2>
        <div class="bar">
          <SearchField label="Find by address" query={email} pauseMs={200} />
          <select
            class="operator-order"
            aria-label="Order of accounts"
            value={sort}
            onChange={(event) => changeParameters({ sort: event.currentTarget.value }, 'replace')}
          >
            {SORTS.map(({ value, title }) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        </div>
      </div>
      {list.error !== undefined && <Failure error={list.error} onRetry={list.retry} />}
      {list.rows.length > 0 && <AccountTable list={list} />}
      {list.rows.length === 0 && list.isLoading && <Loading label="Loading accounts" rows={3} />}
      {list.rows.length === 0 && !list.isLoading && list.error === undefined && (
        <p class="hint">
          {email === '' ? 'No accounts yet. The first sign-in creates one.' : 'No account has this in its address.'}
        </p>
      )}
      {list.total !== undefined && list.rows.length < list.total && (
        <div class="buttons">
          <button type="button" class="small" disabled={list.isLoading} onClick={list.loadMore}>
            Show more
          </button>
        </div>
      )}
    </section>
  );
}

function AccountTable({ list }: { list: PageList<OperatorTenant> }) {
  return (
    <section class="operator-scroll" aria-label="List of accounts" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Address</th>
            <th scope="col">Tier</th>
            <th scope="col" class="is-roomy">
              Created
            </th>
            <th scope="col" class="is-roomy">
              Last seen
            </th>
            <th scope="col" class="numeric is-roomy">
              Memories
            </th>
            <th scope="col" class="numeric">
              Stored
            </th>
            <th scope="col">
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.rows.map((tenant) => (
            <AccountRow key={tenant.tenantId} tenant={tenant} list={list} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function AccountRow({ tenant, list }: { tenant: OperatorTenant; list: PageList<OperatorTenant> }) {
  const { tenantId, email, tier, createdAt, lastSeenAt, memories, storedBytes } = tenant;
  const isBusy = useSignal(false);
  const run = async (act: () => PromiseLike<void>, done: string, show: () => void) => {
    isBusy.value = true;
    try {
      await act();
      showToast(done);
      show();
    } catch (error) {
      sayFailure(error);
    }
    isBusy.value = false;
  };
  const changeTier = async (select: HTMLSelectElement) => {
    const chosen = select.value as Tier;
    const text = `${email} moves from ${tier} to ${chosen}. Its limits change at once.`;
    const isConfirmed = await confirm({ title: 'Change the tier?', text, yes: `Move to ${chosen}` });
    select.value = tier;
    if (!isConfirmed) return;
    const change = (one: OperatorTenant) => (one.tenantId === tenantId ? { ...one, tier: chosen } : one);
    await run(
      () => operatorCalls.setTier(tenantId, chosen),
      `${email} is on ${chosen} now.`,
      () => list.change((rows) => rows.map(change)),
    );
  };
  const erase = async () => {
    const text = `${formatCount(memories, 'memory', 'memories')}, conversations, keys and settings of this account are erased. This cannot be undone.`;
    if (!(await confirm({ title: `Erase ${email}?`, text, yes: 'Erase account', typed: email }))) return;
    await run(
      () => operatorCalls.erase(tenantId),
      `Erased ${email}.`,
      () => list.change((rows) => rows.filter((one) => one.tenantId !== tenantId)),
    );
  };
  return (
    <tr>
      <th scope="row" class="content operator-email">
        {email}
      </th>
      <td>
        <select
          aria-label={`Tier of ${email}`}
          value={tier}
          disabled={isBusy.value}
          onChange={(event) => void changeTier(event.currentTarget)}
        >
          {TIERS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </td>
      <td class="is-roomy">
        <Moment at={createdAt} isBrief />
      </td>
      <td class="is-roomy">{lastSeenAt === null ? 'Never' : <Moment at={lastSeenAt} />}</td>
      <td class="numeric is-roomy">{formatNumber(memories)}</td>
      <td class="numeric">{formatSize(storedBytes)}</td>
      <td class="numeric">
        <button
          type="button"
          class="icon-button"
          aria-label={`Erase ${email}`}
          title="Erase"
          disabled={isBusy.value}
          onClick={() => void erase()}
        >
          <Icon name="trash" size={16} />
        </button>
      </td>
    </tr>
  );
}
