import type { ActivityQuery } from '../../../contract/activity.ts';
import { WEB_APP_CLIENT } from '../../../contract/web-app-client.ts';
import { hrefOf } from '../../router.ts';

/** Reads the filter from the parameters of the view. The app's own requests are left out unless `own` is set. */
export function filterOf(parameters: URLSearchParams): ActivityQuery {
  const filter: Record<string, string> = {};
  for (const name of ['client', 'transport', 'route', 'status', 'after', 'before']) {
    const value = parameters.get(name);
    if (value) filter[name] = value;
  }
  if (!parameters.has('own') && filter.client === undefined) filter.exceptClient = WEB_APP_CLIENT;
  return filter as ActivityQuery;
}

/** Where an id leads: to the memory, the conversation or the search that it names; undefined for other ids. */
export function hrefOfId(id: string): string | undefined {
  if (id.startsWith('mem_')) return hrefOf('memories', { id });
  if (id.startsWith('conv_')) return hrefOf('conversations', { id });
  if (id.startsWith('srch_')) return hrefOf('recall', { searchId: id });
  return undefined;
}
