import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import type { Output } from '../output.ts';
import { applyChange } from './apply-change.ts';
import { type Assistant, KEY_VARIABLE } from './assistant.ts';
import { createEntryBuilder, type EntryBuilder, type EntryOptions, type McpConfigContext } from './build-entry.ts';
import { ConfigFileError } from './editing/document.ts';
import { type Extra, planExtra } from './extra.ts';
import { EXTRAS } from './extra-table.ts';
import { type Outcome, outcomeToJson, printOutcome, tildify } from './outcome.ts';
import { planChange } from './plan-change.ts';
import { promptForOutcomes, selectAssistants } from './select-assistants.ts';
import { unifiedDiff } from './unified-diff.ts';

export interface ConfigureOptions extends EntryOptions {
  instructions: boolean;
  hooks: boolean;
  remove: boolean;
  dryRun: boolean;
  yes: boolean;
}

/** Adds svc to assistants or removes it: plans the changes, asks which to apply, applies them and reports. */
export async function configureAssistants(
  names: readonly string[],
  options: ConfigureOptions,
  context: McpConfigContext,
  output: Output,
): Promise<void> {
  const { environment } = context;
  const assistants = await selectAssistants(names, options.scope, context);
  if (assistants.length === 0) throw new CommandFailure(EXIT.failed, noneFoundMessage(options));
  const canOffer = names.length === 0 && !options.yes && !options.dryRun && !options.remove && context.input.isTty;
  const planned = [
    ...(await planAll(assistants, options, context)),
    ...(canOffer ? await planOffers(assistants, options, context) : []),
  ];
  rejectUnsupported(names, planned);
  const relevant =
    options.remove && names.length === 0 ? planned.filter(({ plan, error }) => plan?.changed || error) : planned;
  if (options.remove && relevant.length === 0) output.line('svc is not set up in any installed assistant.');
  if (options.dryRun) return await printDiffs(relevant, context, output);
  const chosen =
    names.length > 0 || options.yes || !relevant.some(({ plan }) => plan?.changed)
      ? undefined
      : await promptForOutcomes(
          relevant.filter(({ skipped }) => !skipped),
          promptText(options),
          context,
        );
  const outcomes: Outcome[] = [];
  for (const outcome of relevant) {
    if (!chosen || chosen.has(outcome)) outcomes.push(await applyPlan(outcome));
  }
  if (chosen?.size === 0) output.note('Nothing was selected, so nothing was changed.');
  for (const outcome of outcomes) printOutcome(outcome, output, environment.home);
  output.data({ data: outcomes.map(outcomeToJson) });
  printNextSteps(outcomes, options, context, output);
}

function promptText({ remove }: ConfigureOptions): string {
  return remove ? 'Remove svc from which assistants?' : 'Set up svc in which assistants?';
}

function noneFoundMessage({ scope }: ConfigureOptions): string {
  const what = scope === 'project' ? 'assistant with project configuration' : 'assistant';
  return `No ${what} was found on this machine. Name one to set it up anyway, e.g. svc mcp-config claude-code.`;
}

async function planAll(
  assistants: Assistant[],
  options: ConfigureOptions,
  context: McpConfigContext,
): Promise<Outcome[]> {
  const buildEntry = createEntryBuilder(options, context);
  const outcomes: Outcome[] = [];
  for (const assistant of assistants) {
    const extras: Outcome[] = [];
    for (const extra of EXTRAS)
      if (options[extra.option] || options.remove)
        extras.push(...(await planOneExtra(extra, assistant, options, context)));
    const server = await planServer(assistant, options, buildEntry, context);
    // Undo in reverse order: each change is undone with the backup that was made before it.
    outcomes.push(...(options.remove ? [...extras.reverse(), server] : [server, ...extras]));
  }
  return outcomes;
}

/** Plans what the checklist offers in addition to what was asked for. Hooks use the default account, and the spaces of ties. */
async function planOffers(
  assistants: Assistant[],
  options: ConfigureOptions,
  context: McpConfigContext,
): Promise<Outcome[]> {
  const offered = EXTRAS.filter(
    ({ option }) =>
      !options[option] && !(option === 'hooks' && (options.profile ?? options.space ?? options.spaces) !== undefined),
  );
  const outcomes: Outcome[] = [];
  for (const assistant of assistants) {
    for (const extra of offered) {
      const planned = await planOneExtra(extra, assistant, options, context);
      outcomes.push(...planned.filter(({ plan }) => plan?.changed).map((one) => ({ ...one, offered: extra.option })));
    }
  }
  return outcomes;
}

/** Plans instructions or hooks. Removing mentions only files that have some. */
async function planOneExtra(
  extra: Extra,
  assistant: Assistant,
  { scope, remove }: ConfigureOptions,
  context: McpConfigContext,
): Promise<Outcome[]> {
  const { part, option } = extra;
  const path = extra.path(assistant, scope, context.environment);
  if (path === undefined && (remove || part !== option)) return [];
  const outcome: Outcome = { assistant, scope, part };
  if (path === undefined)
    return [
      { ...outcome, skipped: `${assistant.title} has no ${scope} file for ${part} that svc knows: omit --${part}` },
    ];
  const planned = await catchConfigError(outcome, async () => ({
    plan: await planExtra(extra, remove ? 'remove' : 'write', { assistant, scope, path }, context),
  }));
  return remove && planned.plan?.changed === false ? [] : [planned];
}

async function planServer(
  assistant: Assistant,
  { scope, remove }: ConfigureOptions,
  buildEntry: EntryBuilder,
  { environment }: McpConfigContext,
): Promise<Outcome> {
  const outcome: Outcome = { assistant, scope, part: 'server' };
  const built = remove ? { entry: 'remove' as const } : await buildEntry(assistant);
  if ('unsupported' in built) return { ...outcome, skipped: built.unsupported };
  return catchConfigError(outcome, async () => ({
    plan: await planChange(assistant, scope, built.entry, environment),
  }));
}

/** Applies a plan. The file is read again, because an earlier plan may have changed it. */
async function applyPlan(outcome: Outcome): Promise<Outcome> {
  const { plan: planned } = outcome;
  if (!planned?.changed) return outcome;
  return catchConfigError(outcome, async () => {
    const plan = await planned.replan();
    return { plan, applied: await applyChange(plan) };
  });
}

/** Records a `ConfigFileError` in the outcome, so that the other files are still processed. */
async function catchConfigError(outcome: Outcome, work: () => Promise<Partial<Outcome>>): Promise<Outcome> {
  try {
    return { ...outcome, ...(await work()) };
  } catch (error) {
    if (error instanceof ConfigFileError) return { ...outcome, error: error.message };
    throw error;
  }
}

/** Throws a usage error, before anything is written, if a named assistant does not support the requested entry. */
function rejectUnsupported(names: readonly string[], outcomes: readonly Outcome[]): void {
  const reasons = outcomes.flatMap(({ skipped }) => skipped ?? []);
  if (names.length > 0 && reasons.length > 0)
    throw new CommandFailure(EXIT.usage, reasons.map((line) => `${line}.`).join('\n'));
}

/** Prints one diff for each file, also if several parts of it change. */
async function printDiffs(
  outcomes: readonly Outcome[],
  { environment }: McpConfigContext,
  output: Output,
): Promise<void> {
  const plans = outcomes.flatMap(({ plan }) => (plan?.changed ? [plan] : []));
  for (const outcome of outcomes) {
    const { plan } = outcome;
    if (!plan?.changed) {
      if (!plans.some(({ target }) => target === plan?.target)) printOutcome(outcome, output, environment.home);
      continue;
    }
    const [first, ...others] = plans.filter(({ target }) => target === plan.target);
    if (plan !== first) continue;
    let { after } = plan;
    for (const { revise } of others) after = await revise(after);
    output.line(unifiedDiff(tildify(plan.path, environment.home), plan.before, after, output.style));
  }
  output.data({ data: outcomes.map(outcomeToJson) });
  if (outcomes.some(({ error }) => error)) throw new CommandFailure(EXIT.failed);
}

/** Prints what the user has to do next. Throws if any file could not be changed. */
function printNextSteps(
  outcomes: readonly Outcome[],
  options: ConfigureOptions,
  { settings }: McpConfigContext,
  output: Output,
): void {
  const changed = outcomes.filter(({ applied, plan }) => applied && plan?.changed);
  const written = changed.filter(({ part }) => part === 'server');
  if (changed.length > 0) output.note('Restart running assistants for the change to take effect.');
  if (!options.remove) {
    for (const { assistant, scope } of written) if (assistant.notes?.[scope]) output.note(assistant.notes[scope]);
    for (const { assistant, part } of changed) {
      const note = EXTRAS.find((extra) => extra.part === part)?.notes?.[assistant.id];
      if (note) output.note(note);
    }
    const isBridge = options.transport === 'stdio' && changed.length > 0;
    const signedIn = settings.overrides.apiKey !== undefined || settings.profile(settings.profileName(options.profile));
    if (isBridge && !signedIn) output.note('Not signed in yet: run svc login.');
    const referring = written.filter(({ plan }) => plan?.after?.includes(KEY_VARIABLE));
    if (referring.length > 0)
      output.note(`Set ${KEY_VARIABLE} in the assistant's environment: the entry reads the key from it.`);
    for (const { assistant } of referring) if (assistant.keyNote) output.note(assistant.keyNote);
  }
  if (outcomes.some(({ error }) => error)) throw new CommandFailure(EXIT.failed);
}
