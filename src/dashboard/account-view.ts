import { formatSize } from '../contract/byte-size.ts';
import { parseTimestamp } from '../lib/clock.ts';
import { activityPlots } from './activity-plot.ts';
import type { Account, Usage } from './api.ts';
import { byId, element } from './dom.ts';
import { formatNumber, formatUpcoming } from './format.ts';

type Quota = Account['quotas'][keyof Account['quotas']];

function quotaRow(name: string, { limit, used, resetsAt }: Quota, format = formatNumber): HTMLElement {
  const figure = limit === null ? `${format(used)} · unlimited` : `${format(used)} of ${format(limit)}`;
  const row = element('div', { class: 'quota' }, [
    element('p', { class: 'quota-line' }, [element('span', {}, name), element('span', { class: 'figure' }, figure)]),
  ]);
  if (limit !== null) row.append(quotaBar(name, used, limit, format));
  const resetsAtMs = resetsAt === null ? undefined : parseTimestamp(resetsAt);
  if (resetsAtMs !== undefined) row.append(element('p', { class: 'hint' }, `Resets ${formatUpcoming(resetsAtMs)}`));
  else if (limit !== null) row.append(element('p', { class: 'hint' }, 'Deleting frees room'));
  return row;
}

function quotaBar(name: string, used: number, limit: number, format: typeof formatNumber): HTMLElement {
  const share = limit === 0 ? 1 : Math.min(1, used / limit);
  const fill = element('span', { class: share >= 1 ? 'fill full' : share >= 0.8 ? 'fill high' : 'fill' });
  fill.style.inlineSize = `${Math.max(used > 0 ? 1 : 0, share * 100)}%`;
  const bar = element('div', {
    class: 'meter',
    role: 'meter',
    'aria-label': name,
    'aria-valuemin': '0',
    'aria-valuemax': String(limit),
    'aria-valuenow': String(Math.min(used, limit)),
    'aria-valuetext': `${format(used)} of ${format(limit)} used`,
  });
  bar.append(fill);
  return bar;
}

/** Shows the account's email, plan and quota usage. */
export function showAccount(account: Account): void {
  byId('who-email').textContent = account.email;
  byId('who').hidden = false;
  byId('plan-tier').textContent = account.tier;
  byId('plan-rate').textContent = formatNumber(account.limits.requestsPerMinute);
  byId('quotas').replaceChildren(
    quotaRow('Memories today', account.quotas.dailyMemories),
    quotaRow('Searches this month', account.quotas.monthlyQueries),
    quotaRow('Stored text', account.quotas.storedBytes, formatSize),
  );
}

/** Shows activity by day. */
export function showActivity(usage: Usage): void {
  byId('activity').replaceChildren(...activityPlots(usage));
}

/** Removes all account data from the page. */
export function clearAccount(): void {
  byId('who').hidden = true;
  for (const id of ['who-email', 'plan-tier', 'plan-rate', 'quotas', 'activity']) byId(id).replaceChildren();
}
