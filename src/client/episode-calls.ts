import type { Episode, EpisodeChange, EpisodesQuery, NewEpisode } from '../contract/episodes.ts';
import { type CreateOptions, resourceCalls, type Transport } from './calls.ts';

/** Calls for episodes; `conversations.cut` creates them from a conversation. */
export function episodeCalls(transport: Transport) {
  return {
    create: async (episode: NewEpisode, extra?: CreateOptions): Promise<Episode> =>
      (await transport.create<Episode>('/v1/episodes', episode, extra)).body,
    ...resourceCalls<Episode, EpisodeChange, EpisodesQuery>(transport, '/v1/episodes'),
  };
}
