import type { ModelChoice, ProviderSettings, UsedTokens } from '../../contract/provider-settings.ts';
import { parseTimestamp } from '../../lib/clock.ts';
import { formatRelativeTime } from '../memory/relative-time.ts';
import { printable, wrap } from '../memory/terminal-text.ts';
import { formatCount } from '../number-format.ts';
import { bar, type Field, formatFields, type Style } from '../output.ts';

interface Look {
  columns: number;
  style: Style;
  nowMs: number;
}

const BAR_COLUMNS = 24;

/** Formats the settings and today's usage. */
export function settingsLines({ embedding, extraction, tidySchedule, today }: ProviderSettings, look: Look): string[] {
  const { model, onAppend, dailyTokens, pricePerMillion, dailySpend } = extraction;
  const used = today.extraction;
  const tokens = used.inputTokens + used.outputTokens;
  const resetsAt = formatRelativeTime(parseTimestamp(today.resetsAt) ?? look.nowMs, look.nowMs);
  const price =
    pricePerMillion === null
      ? 'not set, so spending is not counted'
      : `${pricePerMillion.input} in, ${pricePerMillion.output} out per million tokens`;
  const rows: Field[] = [
    ['Embedding', describeModel(embedding, "none chosen: uses the operator's, if there is one")],
    ['', `today: ${describeUsage(today.embedding)}`],
    ['Extraction', describeModel(model, 'default: a small model of the newest key')],
    ['', `today: ${describeUsage(used)}`],
    [
      'On append',
      onAppend ? 'on: new messages are read after a few minutes' : 'off: only svc extract reads conversations',
    ],
    ['Tidy', tidySchedule === 'off' ? 'off: only svc tidy suggests what to tidy' : tidySchedule],
    ['Daily tokens', (width) => capLines(tokens, dailyTokens, { ...look, width, resetsAt })],
    ['Price', price],
    ['Daily spend', (width) => capLines(used.spend, dailySpend, { ...look, width, resetsAt })],
  ];
  return formatFields(rows, look.columns, look.style);
}

function describeModel(choice: ModelChoice | null, otherwise: string): string {
  return choice === null ? otherwise : `${choice.provider} ${printable(choice.model)}`;
}

/** `3 requests, 1,330 tokens`, with the cost if it is counted. */
export function describeUsage({ requests, inputTokens, outputTokens, spend }: UsedTokens): string {
  const tokens = `${formatCount(inputTokens + outputTokens)} tokens`;
  const cost = spend > 0 ? `, ${formatSpend(spend)} spent` : '';
  return `${requests === 1 ? '1 request' : `${formatCount(requests)} requests`}, ${tokens}${cost}`;
}

/** Formats an amount in the currency of the configured prices. */
function formatSpend(amount: number): string {
  return amount.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}

function capLines(used: number, cap: number | null, look: Look & { width: number; resetsAt: string }): string[] {
  const { width, style, resetsAt } = look;
  if (cap === null) return wrap(`no limit; ${formatAmount(used)} today`, width);
  const text = `${formatAmount(used)} of ${formatAmount(cap)} today; resets ${resetsAt}`;
  const share = cap === 0 ? 1 : used / cap;
  return [bar(share, Math.min(BAR_COLUMNS, width), style), ...wrap(text, width)];
}

function formatAmount(amount: number): string {
  return Number.isInteger(amount) ? formatCount(amount) : formatSpend(amount);
}
