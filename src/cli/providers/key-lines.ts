import type { ProviderKey } from '../../contract/providers.ts';
import { parseTimestamp } from '../../lib/clock.ts';
import type { RenderOptions } from '../memory/memory-card.ts';
import { formatRelativeTime } from '../memory/relative-time.ts';
import { oneLine, padToWidth, printable, wrap } from '../memory/terminal-text.ts';
import type { Style } from '../output.ts';

const TONES = { valid: 'good', unverified: 'caution', refused: 'bad' } as const satisfies Record<
  ProviderKey['status'],
  keyof Style
>;
const MODELS_SHOWN = 6;

/** `the key …cdef`, without letters where there are none or too few to show any. */
export function describeKey({ last4 }: ProviderKey): string {
  return last4 === null ? 'the key' : `the key …${last4}`;
}

const lettersOf = ({ last4 }: ProviderKey) => (last4 === null ? '–' : `…${last4}`);

/** Keys in columns, what the provider said beneath each. */
export function keyTable(keys: readonly ProviderKey[], look: RenderOptions): string {
  const { style } = look;
  const nameWidth = Math.max(...keys.map(({ provider }) => provider.length)) + 2;
  const keyWidth = Math.max(...keys.map((key) => lettersOf(key).length)) + 2;
  const width = Math.max(16, Math.min(look.columns, 100) - nameWidth);
  return keys
    .map((key) => {
      const head = style.bold(padToWidth(key.provider, nameWidth)) + padToWidth(lettersOf(key), keyWidth);
      const rest = keyFacts(key, look.nowMs).flatMap((fact) => wrap(fact, width));
      return [head + style[TONES[key.status]](key.status), ...rest.map((line) => ' '.repeat(nameWidth) + line)];
    })
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function keyFacts(key: ProviderKey, nowMs: number): string[] {
  const { baseUrl, models, check, validatedAt } = key;
  const said = (timestamp: string) => formatRelativeTime(Math.min(parseTimestamp(timestamp) ?? nowMs, nowMs), nowMs);
  const taken = validatedAt === null ? 'never taken by the provider yet' : `taken by the provider ${said(validatedAt)}`;
  return [
    ...(baseUrl === null ? [] : [`at ${printable(baseUrl)}`]),
    sayModels(models),
    taken,
    ...(check.outcome === 'ok' ? [] : [`asked ${said(check.at)}: ${printable(check.message)}`]),
  ];
}

/** `3 models: one, two, three`. */
function sayModels(models: readonly string[]): string {
  if (models.length === 0) return 'models not known';
  const left = models.length - MODELS_SHOWN;
  const some = models.slice(0, MODELS_SHOWN).map(printable).join(', ');
  const count = models.length === 1 ? '1 model' : `${models.length} models`;
  return `${count}: ${some}${left > 0 ? `, and ${left} more (--json shows all)` : ''}`;
}

/** One line for programs: provider, last four, status, outcome of the last check, address, models. */
export function keyRow({ provider, last4, status, check, baseUrl, models }: ProviderKey): string {
  const cells = [provider, last4 ?? '', status, check.outcome, baseUrl ?? '', models.join(',')];
  return cells.map((cell) => oneLine(cell)).join('\t');
}

/** What the provider said to a key, with what follows from it. */
export function formatKeyCheck(key: ProviderKey, { style, columns }: RenderOptions): string {
  const { provider, check, status } = key;
  const isOk = check.outcome === 'ok';
  const state = status === 'valid' ? 'It was valid before and stays in use.' : 'It is kept as unverified.';
  const text = isOk
    ? `${provider} takes ${describeKey(key)}`
    : `${printable(check.message)}\n${state} svc provider check ${provider} asks again.`;
  const mark = isOk ? style.good('✓') : style.caution('!');
  const [first = '', ...rest] = [...wrap(text, columns - 2), ...(isOk ? wrap(sayModels(key.models), columns - 2) : [])];
  return [`${mark} ${first}`, ...rest.map((line) => `  ${line}`)].join('\n');
}
