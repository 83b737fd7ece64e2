import { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import type { Suggestion } from '../../contract/suggestions.ts';
import type { AccountContext } from '../account-context.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import {
  type CommonOptions,
  JSON_OPTION,
  openClient,
  PROFILE_OPTION,
  printJson,
  renderOptions,
  SPACE_OPTION,
} from '../memory/command-options.ts';
import { findId, SUGGESTION } from '../memory/find-id.ts';
import { createRecentIds } from '../memory/recent-ids.ts';
import { shortIds } from '../memory/short-id.ts';
import { oneLine } from '../memory/terminal-text.ts';
import { type ReviewOutcome, reviewAll } from '../review/review-session.ts';
import { reviewSetCommand } from '../review/review-settings.ts';
import { KIND_TITLES, sourceOfSuggestion } from '../review/suggestion-text.ts';

/** A command context with the streams to draw on, if both are a terminal. */
export type ReviewContext = CommandContext & Pick<AccountContext, 'screen'>;

interface ReviewOptions extends CommonOptions {
  accept?: string[];
  reject?: string[];
  undo?: string[];
}

const HELP = `
svc compares memories with each other and suggests which say the same, and which
are out of date. Nothing changes until you accept a suggestion, and a decision can
be undone for 30 days. At a terminal, goes through what is open one by one. When
output is not a terminal, it prints one line per open suggestion with
tab-separated fields: id, kind, confidence, reason, and the words of each memory.

Examples:
  $ svc review
  $ svc review --json
  $ svc review --accept 9b0015cd 11f3a2c4
  $ svc review --undo 9b0015cd
  $ svc review set merge automatic`;

/** `svc review`: shows suggested changes of memories, and decides them. */
export function reviewCommand(context: ReviewContext): Command {
  return new Command('review')
    .description('go through suggested changes of memories: accept, reject or undo them')
    .option('--accept <id...>', 'accept these suggestions')
    .option('--reject <id...>', 'reject these suggestions')
    .option('--undo <id...>', 'undo the decisions on these suggestions')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', HELP)
    .addCommand(reviewSetCommand(context))
    .action(async (options: ReviewOptions) => {
      const client = await openClient(context, options);
      const decisions = await decisionsOf(options, client, context);
      if (decisions.length > 0) return decide(decisions, options, client, context);
      const open: Suggestion[] = [];
      for await (const suggestion of client.suggestions.list({ state: 'open', limit: 200 })) open.push(suggestion);
      if (options.json) return printJson(context, { data: open });
      if (!context.terminal.isTty) return context.terminal.out(open.map((one) => `${rowOf(one)}\n`).join(''));
      if (open.length === 0)
        return context.terminal.out('Nothing to review. svc compares memories when they are stored.\n');
      if (context.screen === undefined) return list(open, context);
      const { promptReview } = await import('../ui/review-prompt.tsx');
      const screen = { ...context.screen, color: context.terminal.color };
      const outcome = await reviewAll(open, { client, context, show: (card) => promptReview(card, screen) });
      context.terminal.out(`${textOfOutcome(outcome)}\n`);
    });
}

type Decision = { id: string; decision: 'accept' | 'reject' | 'undo' };

async function decisionsOf(options: ReviewOptions, client: Client, context: ReviewContext): Promise<Decision[]> {
  const recentIds = createRecentIds(context.settingsFolder);
  const decisions: Decision[] = [];
  for (const decision of ['accept', 'reject', 'undo'] as const) {
    for (const typed of options[decision] ?? []) {
      decisions.push({ id: await findId(typed, client, recentIds, SUGGESTION), decision });
    }
  }
  return decisions;
}

async function decide(decisions: Decision[], options: ReviewOptions, client: Client, context: ReviewContext) {
  const { data } = await client.suggestions.decide(decisions);
  if (options.json) printJson(context, { data });
  const failed = data.filter(({ error }) => error !== null);
  const done = data.length - failed.length;
  if (!options.json && done > 0) {
    context.terminal.out(`Decided ${done === 1 ? 'the suggestion' : `${done} suggestions`}.\n`);
  }
  if (failed.length === 0) return;
  const lines = failed.map(({ id, error }) => `${id}: ${error!.message}`);
  throw new CommandFailure(EXIT.failed, lines.join('\n'));
}

function rowOf({ id, kind, confidence, reason, evidence }: Suggestion): string {
  const words = evidence.map(({ text }) => oneLine(text));
  return [id, kind, confidence.toFixed(2), oneLine(reason), ...words].join('\t');
}

function list(open: readonly Suggestion[], context: ReviewContext): void {
  const { style } = renderOptions(context);
  const short = shortIds(open.map(({ id }) => id));
  const lines = open.map((one) => {
    const words = one.evidence.map(({ text }) => `\n  ${oneLine(text)}`).join('');
    return `${style.dim(short.get(one.id)!)}  ${style.bold(KIND_TITLES[one.kind])}${words}\n  ${style.dim(`${oneLine(one.reason)} ${sourceOfSuggestion(one)}`)}`;
  });
  context.terminal.out(`${lines.join('\n')}\n`);
}

function textOfOutcome({ accepted, rejected, left }: ReviewOutcome): string {
  const rest = left === 0 ? 'nothing is left' : `${left} left`;
  return `${accepted} accepted, ${rejected} rejected, ${rest}.`;
}
