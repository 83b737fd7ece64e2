import type { ActivityQuery } from '../../../contract/activity.ts';
import { hrefOf } from '../../router.ts';

/** The name under which the daemon lists the requests of this app. */
export const OWN_CLIENT = 'svc web app';

/** Reads the filter from the parameters of the view. The app's own requests are left out unless `own` is set. */
export function filterOf(parameters: URLSearchParams): ActivityQuery {
  const filter: Record<string, string> = {};
  for (const name of ['client', 'transport', 'route', 'status', 'after', 'before']) {
    const value = parameters.get(name);
    if (value) filter[name] = value;
  }
  if (!parameters.has('own') && filter.client === undefined) filter.exceptClient = OWN_CLIENT;
  return filter as ActivityQuery;
}

/** Where an id leads: to the memory, the conversation or the search that it names; undefined for other ids. */
export function hrefOfId(id: string): string | undefined {
  if (id.startsWith('mem_')) return hrefOf('memories', { id });
  if (id.startsWith('conv_')) return hrefOf('conversations', { id });
  if (id.startsWith('srch_')) return hrefOf('recall', { searchId: id });
  return undefined;
}
