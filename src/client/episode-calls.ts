import type { Episode, EpisodeChange, EpisodesQuery, NewEpisode } from '../contract/episodes.ts';
import {
  allPages,
  type ChangeOptions,
  type CreateOptions,
  ifMatchHeader,
  type PageOf,
  queryString,
  type Transport,
} from './calls.ts';
import type { Tagged } from './transport.ts';

/** The calls about episodes; `conversations.cut` makes them of a conversation. */
export function episodeCalls({ send, read, create }: Transport) {
  const path = (id: string) => `/v1/episodes/${encodeURIComponent(id)}`;
  const list = (query: EpisodesQuery = {}): Promise<PageOf<Episode>> =>
    send('GET', `/v1/episodes${queryString(query)}`);

  return {
    create: async (episode: NewEpisode, extra?: CreateOptions): Promise<Episode> =>
      (await create<Episode>('/v1/episodes', episode, extra)).body,
    list,
    /** Every episode of the filter, page after page, newest first. */
    all: (query: EpisodesQuery = {}): AsyncGenerator<Episode> => allPages(list, query),
    get: (id: string): Promise<Episode> => send('GET', path(id)),
    /** The episode with its `ETag`, to change or remove exactly what was read. */
    read: (id: string): Promise<Tagged<Episode>> => read<Episode>(path(id)),
    change: (id: string, change: EpisodeChange, extra?: ChangeOptions): Promise<Episode> =>
      send('PATCH', path(id), change, ifMatchHeader(extra)),
    remove: (id: string, extra?: ChangeOptions) => send<void>('DELETE', path(id), undefined, ifMatchHeader(extra)),
  };
}
