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

/** `the key …cdef`, or `the key` if there is none or it is too short to show any of it. */
export function describeKey({ last4 }: ProviderKey): string {
  return last4 === null ? 'the key' : `the key …${last4}`;
}

const lettersOf = ({ last4 }: ProviderKey) => (last4 === null ? '–' : `…${last4}`);

/** Formats keys in columns, with details below each. */
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
  const formatTime = (timestamp: string) =>
    formatRelativeTime(Math.min(parseTimestamp(timestamp) ?? nowMs, nowMs), nowMs);
  const verified =
    validatedAt === null ? 'never verified with the provider' : `verified with the provider ${formatTime(validatedAt)}`;
  return [
    ...(baseUrl === null ? [] : [`at ${printable(baseUrl)}`]),
    describeModels(models),
    verified,
    ...(check.outcome === 'ok' ? [] : [`checked ${formatTime(check.at)}: ${printable(check.message)}`]),
  ];
}

/** `3 models: one, two, three`. */
function describeModels(models: readonly string[]): string {
  if (models.length === 0) return 'models unknown';
  const hidden = models.length - MODELS_SHOWN;
  const shown = models.slice(0, MODELS_SHOWN).map(printable).join(', ');
  const count = models.length === 1 ? '1 model' : `${models.length} models`;
  return `${count}: ${shown}${hidden > 0 ? `, and ${hidden} more (--json shows all)` : ''}`;
}

/** Formats a key as one line for programs: provider, last four characters, status, outcome of the last check, base URL, models. */
export function keyRow({ provider, last4, status, check, baseUrl, models }: ProviderKey): string {
  const cells = [provider, last4 ?? '', status, check.outcome, baseUrl ?? '', models.join(',')];
  return cells.map((cell) => oneLine(cell)).join('\t');
}

/** Describes the outcome of checking a key with its provider. */
export function formatKeyCheck(key: ProviderKey, { style, columns }: RenderOptions): string {
  const { provider, check, status } = key;
  const isOk = check.outcome === 'ok';
  const state = status === 'valid' ? 'It was valid before and remains in use.' : 'It is stored as unverified.';
  const text = isOk
    ? `${provider} accepts ${describeKey(key)}`
    : `${printable(check.message)}\n${state} Run svc provider check ${provider} to check it again.`;
  const mark = isOk ? style.good('✓') : style.caution('!');
  const [first = '', ...rest] = [
    ...wrap(text, columns - 2),
    ...(isOk ? wrap(describeModels(key.models), columns - 2) : []),
  ];
  return [`${mark} ${first}`, ...rest.map((line) => `  ${line}`)].join('\n');
}
