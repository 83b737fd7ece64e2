import { redactSecrets } from '../src/lib/redaction.ts';
import { redactionShares } from '../test/lib/redaction-shares.ts';
import type { BenchOptions } from './benchmarks.ts';
import type { Section } from './report.ts';
import { createTexts } from './texts.ts';

/** The shares of credentials and of harmless texts that are masked, and what masking a text costs. */
export async function benchRedaction({ rounds }: BenchOptions): Promise<Section> {
  const { masked, changed } = redactionShares(17);
  const texts = createTexts(17);
  let text = '';
  while (text.length < 1_000_000) text += `${texts.memory()}\n`;
  const rows = [...masked, changed].map(({ name, count, share }) => ({
    of: name,
    texts: count,
    'masked %': share * 100,
  }));
  const findings = [
    { name: 'credentials masked, % (least of all sorts and contexts)', value: percent(masked), atLeast: 95 },
    { name: 'harmless texts changed, %', value: changed.share * 100, atMost: 1 },
    { name: 'processor time for 2 KB, ms', value: cost(text.slice(0, 2000), 100, rounds), atMost: 1 },
    { name: 'processor time for 1 MB, ms', value: cost(text, 1, rounds), atMost: 100 },
  ];
  return { name: 'redaction', title: 'Masking of credentials', rows, findings };
}

function percent(shares: readonly { share: number }[]): number {
  return 100 * Math.min(...shares.map(({ share }) => share));
}

/** The least processor time of a call in ms, after some that warm it up. */
function cost(text: string, calls: number, rounds: number): number {
  const times = Array.from({ length: rounds + 2 }, () => {
    const before = process.cpuUsage();
    for (let call = 0; call < calls; call += 1) redactSecrets(text);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / calls;
  });
  return Math.min(...times.slice(2));
}
