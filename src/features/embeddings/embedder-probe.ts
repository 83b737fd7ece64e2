import { EmbedderFault } from '../../outside/models/embedder.ts';

/** A text that no working embedder rejects. */
const PROBE = 'hello';

/**
 * Distinguishes a model that rejects one text from one that rejects everything, which is misconfigured or gone: for the
 * latter it throws a `settings` fault.
 */
export async function probeEmbedder<T>(ask: (text: string) => Promise<T>): Promise<T> {
  try {
    return await ask(PROBE);
  } catch (error) {
    const refusesAll = error instanceof EmbedderFault && error.reason === 'texts';
    throw refusesAll ? new EmbedderFault('settings', error.message) : error;
  }
}
