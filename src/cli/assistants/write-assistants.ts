import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import type { Output } from '../output.ts';
import { applyChange } from './apply-change.ts';
import { type Assistant, type DesiredEntry, KEY_VARIABLE } from './assistant.ts';
import { askWhich, chosenAssistants } from './assistant-choice.ts';
import { unifiedDifference } from './difference.ts';
import { ConfigFault } from './editing/document.ts';
import { type Outcome, outcomeData, shortPath, tellOutcome } from './outcome.ts';
import { planChange } from './plan-change.ts';
import { createEntryMaker, type EntryChoice, type McpConfigContext } from './wanted-entry.ts';

export interface WriteChoice extends EntryChoice {
  remove: boolean;
  dryRun: boolean;
  yes: boolean;
}

/** Sets svc up in assistants, or takes it out of them: plans all, asks where nobody was named, writes, tells. */
export async function writeAssistants(
  names: readonly string[],
  choice: WriteChoice,
  context: McpConfigContext,
  output: Output,
): Promise<void> {
  const { environment } = context;
  const clients = await chosenAssistants(names, choice.scope, context);
  if (clients.length === 0) throw new CommandFailure(EXIT.failed, noneFound(choice));
  const planned = await planAll(clients, choice, context);
  refuseNamed(names, planned);
  const present =
    choice.remove && names.length === 0 ? planned.filter(({ plan, fault }) => plan?.changed || fault) : planned;
  if (choice.remove && present.length === 0) output.line('svc stands in none of them.');
  if (choice.dryRun) return showDifferences(present, context, output);
  const chosen =
    names.length > 0 || choice.yes || !present.some(({ plan }) => plan?.changed)
      ? undefined
      : await askWhich(
          present.filter(({ skipped }) => !skipped),
          questionOf(choice),
          context,
        );
  const outcomes: Outcome[] = [];
  for (const outcome of present) {
    if (chosen && !chosen.has(outcome.client.id)) continue;
    outcomes.push(await carryOut(outcome));
  }
  if (chosen?.size === 0) output.note('Nothing was chosen, and nothing was changed.');
  for (const outcome of outcomes) tellOutcome(outcome, output, environment.home);
  output.data({ data: outcomes.map(outcomeData) });
  tellRest(outcomes, choice, context, output);
}

function questionOf({ remove }: WriteChoice): string {
  return remove ? 'Which assistants lose svc?' : 'Which assistants get svc?';
}

function noneFound({ scope }: WriteChoice): string {
  const what = scope === 'project' ? 'No assistant with files for projects was found' : 'No assistant was found';
  return `${what} on this machine. Name one to set it up all the same, e.g. svc mcp-config claude-code.`;
}

async function planAll(clients: Assistant[], choice: WriteChoice, context: McpConfigContext): Promise<Outcome[]> {
  const wanted = createEntryMaker(choice, context);
  const outcomes: Outcome[] = [];
  for (const client of clients) {
    const made = choice.remove ? { entry: 'remove' as const } : await wanted(client);
    if ('refused' in made) outcomes.push({ client, scope: choice.scope, skipped: made.refused });
    else outcomes.push(await planOne(client, made.entry, choice, context));
  }
  return outcomes;
}

async function planOne(
  client: Assistant,
  entry: DesiredEntry | 'remove',
  { scope }: WriteChoice,
  { environment }: McpConfigContext,
): Promise<Outcome> {
  return catchFault({ client, scope }, async () => ({ plan: await planChange(client, scope, entry, environment) }));
}

async function carryOut(outcome: Outcome): Promise<Outcome> {
  const { plan } = outcome;
  return plan?.changed ? catchFault(outcome, async () => ({ done: await applyChange(plan) })) : outcome;
}

/** One file that must be left alone is told of and stops no other. */
async function catchFault(outcome: Outcome, work: () => Promise<Partial<Outcome>>): Promise<Outcome> {
  try {
    return { ...outcome, ...(await work()) };
  } catch (error) {
    if (error instanceof ConfigFault) return { ...outcome, fault: error.message };
    throw error;
  }
}

/** What was asked for by name and cannot be had is a wrong command, before anything is written. */
function refuseNamed(names: readonly string[], outcomes: readonly Outcome[]): void {
  const refused = outcomes.flatMap(({ skipped }) => skipped ?? []);
  if (names.length > 0 && refused.length > 0)
    throw new CommandFailure(EXIT.usage, refused.map((line) => `${line}.`).join('\n'));
}

function showDifferences(outcomes: readonly Outcome[], { environment }: McpConfigContext, output: Output): void {
  for (const outcome of outcomes) {
    const { plan } = outcome;
    if (!plan?.changed) tellOutcome(outcome, output, environment.home);
    else output.line(unifiedDifference(shortPath(plan.path, environment.home), plan.before, plan.after, output.style));
  }
  output.data({ data: outcomes.map(outcomeData) });
  if (outcomes.some(({ fault }) => fault)) throw new CommandFailure(EXIT.failed);
}

/** What is left to do for the person, and the exit code. */
function tellRest(
  outcomes: readonly Outcome[],
  choice: WriteChoice,
  { settings }: McpConfigContext,
  output: Output,
): void {
  const written = outcomes.filter(({ done, plan }) => done && plan?.changed);
  if (written.length > 0) output.note('Assistants that are running notice when they are started again.');
  if (!choice.remove) {
    for (const { client, scope } of written) if (client.notes?.[scope]) output.note(client.notes[scope]);
    const isBridge = choice.transport === 'stdio' && written.length > 0;
    const signedIn = settings.overrides.apiKey !== undefined || settings.profile(settings.profileName(choice.profile));
    if (isBridge && !signedIn) output.note('Not signed in yet: run svc login.');
    if (written.some(({ plan }) => plan?.after?.includes(KEY_VARIABLE))) {
      output.note(`The key is read from ${KEY_VARIABLE}: set it where the assistant is started.`);
    }
  }
  if (outcomes.some(({ fault }) => fault)) throw new CommandFailure(EXIT.failed);
}
