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

/** What is in force, and what today used of it. */
export function settingsLines({ embedding, extraction, today }: ProviderSettings, look: Look): string[] {
  const { model, onAppend, dailyTokens, pricePerMillion, dailySpend } = extraction;
  const used = today.extraction;
  const tokens = used.inputTokens + used.outputTokens;
  const resetsAt = formatRelativeTime(parseTimestamp(today.resetsAt) ?? look.nowMs, look.nowMs);
  const price =
    pricePerMillion === null
      ? 'not given, so no spend is counted'
      : `${pricePerMillion.input} in, ${pricePerMillion.output} out, of a million tokens`;
  const rows: Field[] = [
    ['Embedding', sayChoice(embedding, "none of yours: the operator's, if there is one")],
    ['', `today ${describeUsage(today.embedding)}`],
    ['Extraction', sayChoice(model, 'a small model of the newest key')],
    ['', `today ${describeUsage(used)}`],
    ['On append', onAppend ? 'on: conversations are read some minutes after they grew' : 'off: only svc extract reads'],
    ['Tokens a day', (width) => capLines(tokens, dailyTokens, { ...look, width, resetsAt })],
    ['Price', price],
    ['Spend a day', (width) => capLines(used.spend, dailySpend, { ...look, width, resetsAt })],
  ];
  return formatFields(rows, look.columns, look.style);
}

function sayChoice(choice: ModelChoice | null, otherwise: string): string {
  return choice === null ? otherwise : `${choice.provider} ${printable(choice.model)}`;
}

/** `3 requests, 1,330 tokens`, with what they cost where that is counted. */
export function describeUsage({ requests, inputTokens, outputTokens, spend }: UsedTokens): string {
  const tokens = `${formatCount(inputTokens + outputTokens)} tokens`;
  const cost = spend > 0 ? `, ${saySpend(spend)} spent` : '';
  return `${requests === 1 ? '1 request' : `${formatCount(requests)} requests`}, ${tokens}${cost}`;
}

/** An amount in whatever currency the prices are in. */
function saySpend(amount: number): string {
  return amount.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}

function capLines(used: number, cap: number | null, look: Look & { width: number; resetsAt: string }): string[] {
  const { width, style, resetsAt } = look;
  if (cap === null) return wrap(`no limit; ${sayAmount(used)} today`, width);
  const text = `${sayAmount(used)} of ${sayAmount(cap)} today; starts anew ${resetsAt}`;
  const share = cap === 0 ? 1 : used / cap;
  return [bar(share, Math.min(BAR_COLUMNS, width), style), ...wrap(text, width)];
}

function sayAmount(amount: number): string {
  return Number.isInteger(amount) ? formatCount(amount) : saySpend(amount);
}
