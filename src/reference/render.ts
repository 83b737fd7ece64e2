import { readClientCalls } from './client-calls.ts';
import { composeDocument } from './document.ts';
import { referencePage } from './page.ts';

/** Renders the reference of this program. `guide` is the text of the guide to the client library. */
export async function renderReference(guide: string): Promise<string> {
  return referencePage(await composeDocument(), readClientCalls(guide));
}
