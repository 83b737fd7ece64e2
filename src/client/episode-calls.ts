import type { Episode, EpisodeChange, EpisodesQuery, NewEpisode, WrittenEpisode } from '../contract/episodes.ts';
import type { ApiPromise } from './api-promise.ts';
import type { CreateOptions } from './call-options.ts';
import { resourceCalls } from './calls.ts';
import type { Transport } from './transport.ts';

/** Calls for episodes; `conversations.cut` creates them from a conversation. */
export function episodeCalls(transport: Transport) {
  return {
    create: (episode: NewEpisode, options?: CreateOptions): ApiPromise<WrittenEpisode> =>
      transport.create('/v1/episodes', episode, options),
    ...resourceCalls<Episode, EpisodeChange, EpisodesQuery, WrittenEpisode>(transport, '/v1/episodes'),
  };
}
