import { redactSecrets } from '../../src/lib/redaction.ts';
import { createSeededRandom } from '../helpers/seeded-random.ts';
import { credentialCases, survives } from './credential-shapes.ts';
import { harmlessTexts } from './harmless-texts.ts';

/** The share of credentials that are masked, or of harmless texts in which something is. */
export interface Share {
  name: string;
  count: number;
  share: number;
}

/** Measures masking by sort of credential, by context and in total, and how many harmless texts are changed. */
export function redactionShares(seed: number): { masked: Share[]; changed: Share } {
  const random = createSeededRandom(seed).fraction;
  const counts = new Map<string, { count: number; masked: number }>();
  for (const { sort, context, text, secret } of credentialCases(random)) {
    const isMasked = !survives(redactSecrets(text).text, secret);
    for (const name of [`sort: ${sort}`, `context: ${context}`, 'all']) {
      const { count, masked } = counts.get(name) ?? { count: 0, masked: 0 };
      counts.set(name, { count: count + 1, masked: masked + Number(isMasked) });
    }
  }
  const texts = harmlessTexts(random);
  const changed = texts.filter((text) => redactSecrets(text).count > 0).length;
  return {
    masked: [...counts].map(([name, { count, masked }]) => ({ name, count, share: masked / count })),
    changed: { name: 'harmless', count: texts.length, share: changed / texts.length },
  };
}
