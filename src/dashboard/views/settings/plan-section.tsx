import { useEffect } from 'preact/hooks';
import type { Account, ModelDay, Usage } from '../../../client/client.ts';
import { formatSize } from '../../../contract/byte-size.ts';
import { parseTimestamp } from '../../../lib/clock.ts';
import { formatDay, formatNumber, formatUpcoming } from '../../format.ts';
import { onChanges } from '../../live.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Meter } from '../../parts/meter.tsx';
import { DayBars } from '../../plots/day-bars.tsx';
import { useResource } from '../../resource.ts';
import { currentSession } from '../../session.ts';
import { currentSpace } from '../../space.ts';
import { sumModels } from './model-usage.ts';

type Quota = Account['quotas'][keyof Account['quotas']];

const SERIES = [
  { name: 'requests', title: 'Requests' },
  { name: 'memories', title: 'Memories added' },
  { name: 'queries', title: 'Searches' },
] as const;

/** The plan, how much of its quotas is used, and what was used by day. */
export function PlanSection() {
  const { client } = currentSession();
  const account = useResource('account', (signal) => client.account.get({ signal }));
  const usage = useResource('usage', (signal) => client.usage.get({ days: 30 }, { signal }));
  useEffect(
    () =>
      onChanges(['memory', 'conversation', 'job', 'account'], () => {
        account.reload();
        usage.reload();
      }),
    [],
  );
  return (
    <>
      <section class="card" aria-labelledby="plan-title">
        <h2 id="plan-title">Plan</h2>
        <Loaded resource={account} rows={4}>
          {(loaded) => <Plan account={loaded} />}
        </Loaded>
      </section>
      <section class="card" aria-labelledby="usage-title">
        <h2 id="usage-title">Last 30 days</h2>
        <Loaded resource={usage} rows={4}>
          {(loaded) => <DailyUsage usage={loaded} />}
        </Loaded>
      </section>
      <section class="card" aria-labelledby="models-title">
        <h2 id="models-title">Model calls with {currentSpace.value ? 'its' : 'your'} keys, last 30 days</h2>
        <Loaded resource={usage} rows={3}>
          {(loaded) => <ModelCalls models={loaded.models} />}
        </Loaded>
      </section>
    </>
  );
}

function Plan({ account }: { account: Account }) {
  const { tier, limits, quotas, email } = account;
  const space = currentSpace.value;
  return (
    <div class="stack">
      <dl class="facts">
        <dt>{space ? 'Space' : 'Account'}</dt>
        <dd>{space ? space.name : email}</dd>
        <dt>Tier</dt>
        <dd>{tier}</dd>
        <dt>Requests per minute</dt>
        <dd>{formatNumber(limits.requestsPerMinute)}</dd>
      </dl>
      <div class="grid">
        <QuotaMeter label="Memories today" quota={quotas.dailyMemories} format={formatNumber} />
        <QuotaMeter label="Searches this month" quota={quotas.monthlyQueries} format={formatNumber} />
        <QuotaMeter label="Stored text" quota={quotas.storedBytes} format={formatSize} />
      </div>
    </div>
  );
}

function QuotaMeter({ label, quota, format }: { label: string; quota: Quota; format: (value: number) => string }) {
  const { limit, used, resetsAt } = quota;
  const resetsAtMs = resetsAt === null ? undefined : parseTimestamp(resetsAt);
  const note = resetsAtMs === undefined ? 'Deleting frees room' : `Resets ${formatUpcoming(resetsAtMs)}`;
  return <Meter label={label} used={used} limit={limit} format={format} {...(limit !== null && { note })} />;
}

function DailyUsage({ usage: { days } }: { usage: Usage }) {
  if (!days.some((day) => SERIES.some(({ name }) => day[name] > 0))) return <p class="hint">No activity yet.</p>;
  return (
    <div class="grid">
      {SERIES.map(({ name, title }) => {
        const total = days.reduce((sum, day) => sum + day[name], 0);
        return (
          <figure key={name} class="usage-plot">
            <figcaption class="meter-line">
              <span>{title}</span>
              <span class="numeric">{formatNumber(total)}</span>
            </figcaption>
            <DayBars label={`${title} per day`} days={days.map((day) => ({ day: day.day, value: day[name] }))} />
            <p class="meter-line hint">
              <span>{formatDay(days[0]?.day ?? '')}</span>
              <span>{formatDay(days.at(-1)?.day ?? '')}</span>
            </p>
          </figure>
        );
      })}
    </div>
  );
}

function ModelCalls({ models }: { models: readonly ModelDay[] }) {
  const rows = sumModels(models);
  if (rows.length === 0) return <p class="hint">None. Extraction and search by meaning use the keys that you add.</p>;
  return (
    <div class="table-scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col">Used for</th>
            <th scope="col" class="numeric">
              Calls
            </th>
            <th scope="col" class="numeric">
              Tokens in
            </th>
            <th scope="col" class="numeric">
              Tokens out
            </th>
            <th scope="col" class="numeric">
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ provider, model, purpose, requests, inputTokens, outputTokens, spend }) => (
            <tr key={`${provider} ${model} ${purpose}`}>
              <td>
                {provider} {model}
              </td>
              <td>{purpose === 'embedding' ? 'search' : 'extraction'}</td>
              <td class="numeric">{formatNumber(requests)}</td>
              <td class="numeric">{formatNumber(inputTokens)}</td>
              <td class="numeric">{formatNumber(outputTokens)}</td>
              <td class="numeric">{spend > 0 ? formatNumber(spend) : '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
