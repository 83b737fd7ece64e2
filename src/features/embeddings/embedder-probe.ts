import { EmbedderFault } from '../../outside/models/embedder.ts';

/** A text that no embedder refuses. */
const PROBE = 'hello';

/**
 * Tells a model that refuses one text from one that refuses all, which is wrongly set or gone: for that it throws a fault
 * of the settings.
 */
export async function probeEmbedder<T>(ask: (text: string) => Promise<T>): Promise<T> {
  try {
    return await ask(PROBE);
  } catch (error) {
    const refusesAll = error instanceof EmbedderFault && error.reason === 'texts';
    throw refusesAll ? new EmbedderFault('settings', error.message) : error;
  }
}
