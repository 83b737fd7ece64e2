import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import type { Output } from '../output.ts';
import { applyChange } from './apply-change.ts';
import { type Assistant, type DesiredEntry, KEY_VARIABLE } from './assistant.ts';
import { createEntryBuilder, type EntryOptions, type McpConfigContext } from './build-entry.ts';
import { ConfigFileError } from './editing/document.ts';
import { type Outcome, outcomeToJson, printOutcome, tildify } from './outcome.ts';
import { planChange } from './plan-change.ts';
import { promptForAssistants, selectAssistants } from './select-assistants.ts';
import { unifiedDiff } from './unified-diff.ts';

export interface ConfigureOptions extends EntryOptions {
  remove: boolean;
  dryRun: boolean;
  yes: boolean;
}

/** Sets svc up in assistants, or takes it out of them: plans all, asks where nobody was named, writes, tells. */
export async function configureAssistants(
  names: readonly string[],
  choice: ConfigureOptions,
  context: McpConfigContext,
  output: Output,
): Promise<void> {
  const { environment } = context;
  const assistants = await selectAssistants(names, choice.scope, context);
  if (assistants.length === 0) throw new CommandFailure(EXIT.failed, noneFoundMessage(choice));
  const planned = await planAll(assistants, choice, context);
  rejectUnsupported(names, planned);
  const present =
    choice.remove && names.length === 0 ? planned.filter(({ plan, fault }) => plan?.changed || fault) : planned;
  if (choice.remove && present.length === 0) output.line('svc stands in none of them.');
  if (choice.dryRun) return printDiffs(present, context, output);
  const chosen =
    names.length > 0 || choice.yes || !present.some(({ plan }) => plan?.changed)
      ? undefined
      : await promptForAssistants(
          present.filter(({ skipped }) => !skipped),
          promptText(choice),
          context,
        );
  const outcomes: Outcome[] = [];
  for (const outcome of present) {
    if (chosen && !chosen.has(outcome.assistant.id)) continue;
    outcomes.push(await applyPlan(outcome));
  }
  if (chosen?.size === 0) output.note('Nothing was chosen, and nothing was changed.');
  for (const outcome of outcomes) printOutcome(outcome, output, environment.home);
  output.data({ data: outcomes.map(outcomeToJson) });
  printNextSteps(outcomes, choice, context, output);
}

function promptText({ remove }: ConfigureOptions): string {
  return remove ? 'Which assistants lose svc?' : 'Which assistants get svc?';
}

function noneFoundMessage({ scope }: ConfigureOptions): string {
  const what = scope === 'project' ? 'No assistant with files for projects was found' : 'No assistant was found';
  return `${what} on this machine. Name one to set it up all the same, e.g. svc mcp-config claude-code.`;
}

async function planAll(
  assistants: Assistant[],
  choice: ConfigureOptions,
  context: McpConfigContext,
): Promise<Outcome[]> {
  const wanted = createEntryBuilder(choice, context);
  const outcomes: Outcome[] = [];
  for (const assistant of assistants) {
    const made = choice.remove ? { entry: 'remove' as const } : await wanted(assistant);
    if ('refused' in made) outcomes.push({ assistant, scope: choice.scope, skipped: made.refused });
    else outcomes.push(await planOne(assistant, made.entry, choice, context));
  }
  return outcomes;
}

async function planOne(
  assistant: Assistant,
  entry: DesiredEntry | 'remove',
  { scope }: ConfigureOptions,
  { environment }: McpConfigContext,
): Promise<Outcome> {
  return catchConfigError({ assistant, scope }, async () => ({
    plan: await planChange(assistant, scope, entry, environment),
  }));
}

async function applyPlan(outcome: Outcome): Promise<Outcome> {
  const { plan } = outcome;
  return plan?.changed ? catchConfigError(outcome, async () => ({ done: await applyChange(plan) })) : outcome;
}

/** One file that must be left alone is told of and stops no other. */
async function catchConfigError(outcome: Outcome, work: () => Promise<Partial<Outcome>>): Promise<Outcome> {
  try {
    return { ...outcome, ...(await work()) };
  } catch (error) {
    if (error instanceof ConfigFileError) return { ...outcome, fault: error.message };
    throw error;
  }
}

/** What was asked for by name and cannot be had is a wrong command, before anything is written. */
function rejectUnsupported(names: readonly string[], outcomes: readonly Outcome[]): void {
  const refused = outcomes.flatMap(({ skipped }) => skipped ?? []);
  if (names.length > 0 && refused.length > 0)
    throw new CommandFailure(EXIT.usage, refused.map((line) => `${line}.`).join('\n'));
}

function printDiffs(outcomes: readonly Outcome[], { environment }: McpConfigContext, output: Output): void {
  for (const outcome of outcomes) {
    const { plan } = outcome;
    if (!plan?.changed) printOutcome(outcome, output, environment.home);
    else output.line(unifiedDiff(tildify(plan.path, environment.home), plan.before, plan.after, output.style));
  }
  output.data({ data: outcomes.map(outcomeToJson) });
  if (outcomes.some(({ fault }) => fault)) throw new CommandFailure(EXIT.failed);
}

/** What is left to do for the person, and the exit code. */
function printNextSteps(
  outcomes: readonly Outcome[],
  choice: ConfigureOptions,
  { settings }: McpConfigContext,
  output: Output,
): void {
  const written = outcomes.filter(({ done, plan }) => done && plan?.changed);
  if (written.length > 0) output.note('Assistants that are running notice when they are started again.');
  if (!choice.remove) {
    for (const { assistant, scope } of written) if (assistant.notes?.[scope]) output.note(assistant.notes[scope]);
    const isBridge = choice.transport === 'stdio' && written.length > 0;
    const signedIn = settings.overrides.apiKey !== undefined || settings.profile(settings.profileName(choice.profile));
    if (isBridge && !signedIn) output.note('Not signed in yet: run svc login.');
    if (written.some(({ plan }) => plan?.after?.includes(KEY_VARIABLE))) {
      output.note(`The key is read from ${KEY_VARIABLE}: set it where the assistant is started.`);
    }
  }
  if (outcomes.some(({ fault }) => fault)) throw new CommandFailure(EXIT.failed);
}
