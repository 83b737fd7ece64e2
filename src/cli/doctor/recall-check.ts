import { createClient } from '../../client/client.ts';
import { CommandFailure } from '../failure.ts';
import { readyState } from './daemon-check.ts';
import type { Finding } from './finding.ts';
import type { Subject } from './subject.ts';

const TIMEOUT_MS = 5000;

/** Says what searches and memories can be expected of, and what would improve them. Nothing while other checks fail. */
export async function checkRecall({ session, url, fetch }: Subject): Promise<Finding[]> {
  if (session instanceof CommandFailure) return [];
  const client = createClient({ baseUrl: url, apiKey: session.apiKey, retries: 0, timeoutMs: TIMEOUT_MS, fetch });
  const [settings, state] = await Promise.all([
    client.providerSettings.get().catch(() => undefined),
    readyState(fetch, url),
  ]);
  // Something else may respond there, which another check reports.
  if (settings?.extraction === undefined || state === undefined) return [];
  return [
    state.embedder === undefined && settings.embedding === null
      ? {
          check: 'Search',
          state: 'ok',
          message: 'by words alone: what is worded differently may not be found',
          fix: "svc model add all-MiniLM-L6-v2 on the daemon's machine searches by meaning too",
        }
      : { check: 'Search', state: 'ok', message: 'by words and by meaning' },
    settings.extraction.model !== null && settings.extraction.onAppend
      ? { check: 'Extraction', state: 'ok', message: `memories are extracted with ${settings.extraction.model.model}` }
      : {
          check: 'Extraction',
          state: 'ok',
          message: 'off: what is said comes back as the sentence that says it',
          fix: 'svc provider use extraction PROVIDER MODEL, then svc provider settings --on-append on, forms memories',
        },
  ];
}
