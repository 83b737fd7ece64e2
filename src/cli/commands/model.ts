import { Argument, Command, InvalidArgumentError } from 'commander';
import { ENGLISH_MODEL, MULTILINGUAL_MODEL, namesOfLanguages } from '../../contract/advised-models.ts';
import { OWN_SPACE } from '../../contract/space-names.ts';
import type { StoredLanguages } from '../../contract/stored-languages.ts';
import {
  chooseNone,
  deleteModel,
  listAddedModels,
  type ModelManifest,
  modelsFolder,
  nameOfChoice,
  readChoice,
} from '../../outside/models/added-models.ts';
import { createModelHub, DEFAULT_HUB, hubUrl } from '../../outside/models/model-hub.ts';
import { LISTED_MODELS, type ListedModel, languagesOfModel } from '../../outside/models/model-list.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure, EXIT_INTERRUPTED } from '../failure.ts';
import { clientOf, JSON_OPTION, printJson } from '../memory/command-options.ts';
import { padToWidth } from '../memory/terminal-text.ts';
import { formatBytes } from '../number-format.ts';
import { createStyle } from '../output.ts';
import { readOperatorConfig } from './admin-config.ts';
import { addModel, type ModelContext } from './model-add.ts';

interface Options {
  dataDir?: string;
  json?: true;
}

const HELP = `
Models run on the daemon's machine, without a server or a key. Run these
commands there. A running daemon switches models within seconds, and embeds what
is stored in the background.

Examples:
  $ svc model list
  $ svc model add all-MiniLM-L6-v2`;

const ADD_HELP = `
Downloads the model from Hugging Face's hub, verifies sizes and hashes, and
selects it. A download that was cut off resumes where it stopped. To switch back
to a model that is already downloaded, add it again.

SVC_MODEL_HUB sets another hub with the same layout, HTTPS_PROXY a proxy.

Examples:
  $ svc model add all-MiniLM-L6-v2`;

const LIST_HELP = `
Examples:
  $ svc model list
  $ svc model list --json`;

const REMOVE_HELP = `
Examples:
  $ svc model remove all-MiniLM-L6-v2
  $ svc model remove all-MiniLM-L6-v2 --yes`;

/** The list does not wait longer for an order that fits. */
const LANGUAGES_TIMEOUT_MS = 2000;
const NAMES = LISTED_MODELS.map(({ name }) => name);
const DATA_DIR_OPTION = ['--data-dir <folder>', 'the data folder [SVC_DATA_DIR]'] as const;

/** `svc model`: embedding models that run in the daemon. */
export function modelCommand(context: ModelContext): Command {
  const model = new Command('model')
    .description('embedding models that run in the daemon, for search by meaning')
    .addHelpText('after', HELP);
  model
    .command('add')
    .description('download a model and select it; without a name, list what there is')
    .addArgument(new Argument('[name]', 'its name in svc model list').choices(NAMES))
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', ADD_HELP)
    .action((name: string | undefined, options: Options) =>
      name === undefined ? listToAdd(options, context) : add(name, options, context),
    );
  model
    .command('list')
    .description('list the models that can be added, and show which are downloaded and in use')
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', LIST_HELP)
    .action(async (options: Options) => list(options, context, await findLanguages(context)));
  model
    .command('remove')
    .description('delete a downloaded model')
    .argument('<name>', 'its name in svc model list', parseName)
    .option('-y, --yes', 'also if it is in use')
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', REMOVE_HELP)
    .action((name: string, options: Options & { yes?: true }) => remove(name, options, context));
  return model;
}

async function add(name: string, options: Options, context: ModelContext): Promise<void> {
  const { terminal, environment } = context;
  const model = LISTED_MODELS.find((listed) => listed.name === name)!;
  const { models, isOverridden } = await readSettings(options, context);
  const stop = new AbortController();
  void context.stopSignal().then(() => {
    const message = 'Canceled. The next svc model add resumes the download.';
    stop.abort(new CommandFailure(EXIT_INTERRUPTED, message));
  });
  const hub = createModelHub(readHub(environment.env.SVC_MODEL_HUB));
  if (!options.json) {
    terminal.error(`${name}: ${hub.url}/${model.repository}, ${describe(model)}, license ${model.license}\n`);
  }
  try {
    const { manifest, isNew } = await addModel(model, {
      context,
      hub,
      models,
      json: options.json,
      signal: stop.signal,
    });
    if (options.json) return printJson(context, { ...manifest, isNew, inUse: true });
    const done = isNew ? `Added ${name} (${formatBytes(bytesOf(manifest))}).` : `${name} is already downloaded.`;
    const next = isOverridden
      ? 'SVC_EMBEDDINGS is set and takes precedence: unset it for the daemon to use this model.'
      : 'It is in use now: a running daemon embeds what is stored in the background.';
    terminal.out(`${done} ${next}\n`);
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : error;
  } finally {
    await hub.close();
  }
}

/** Lists the models, and says which to name. Throws `CommandFailure`. */
async function listToAdd(options: Options, context: ModelContext): Promise<void> {
  const stored = await findLanguages(context);
  if (!options.json) await list(options, context, stored);
  const advised = stored?.needsMultilingualModel ? MULTILINGUAL_MODEL : ENGLISH_MODEL;
  throw new CommandFailure(EXIT.usage, `Name the model to add, such as svc model add ${advised}.`);
}

/** The languages of the account that is signed in here; `undefined` if nobody is, or its daemon does not tell. */
async function findLanguages({ session, terminal }: ModelContext): Promise<StoredLanguages | undefined> {
  if (session === undefined) return undefined;
  try {
    const opened = await session(undefined, OWN_SPACE);
    const client = clientOf(opened, terminal, { retries: 0, timeoutMs: LANGUAGES_TIMEOUT_MS });
    return await client.retrieval.languages();
  } catch {
    // The list is of use without them.
    return undefined;
  }
}

async function list(options: Options, context: ModelContext, stored?: StoredLanguages): Promise<void> {
  const { models, isOverridden } = await readSettings(options, context);
  const [added, choice] = await Promise.all([listAddedModels(models), readChoice(models)]);
  const inUse = isOverridden || choice === undefined ? undefined : nameOfChoice(choice);
  const needsMultilingual = stored?.needsMultilingualModel === true;
  const isFirst = ({ name }: ListedModel) => needsMultilingual && languagesOfModel(name) === 'multilingual';
  const rows = [...LISTED_MODELS]
    .sort((a, b) => Number(isFirst(b)) - Number(isFirst(a)))
    .map((model) => {
      const manifest = added.find(({ name }) => name === model.name);
      return { model, manifest, inUse: manifest !== undefined && model.name === inUse };
    });
  if (options.json) {
    const languages = stored?.languages ?? null;
    return printJson(context, { data: rows.map(dataOf), folder: models, overridden: isOverridden, languages });
  }
  const { terminal } = context;
  if (!terminal.isTty) {
    for (const row of rows)
      terminal.out(`${[row.model.name, stateOf(row), row.model.bytes, row.model.license].join('\t')}\n`);
    return;
  }
  const style = createStyle(terminal.color);
  const width = Math.max(...NAMES.map((name) => name.length)) + 2;
  for (const row of rows) {
    const state = stateOf(row);
    const tone = row.inUse ? style.good : style.dim;
    const facts = `${describe(row.model)}, ${row.model.license}`;
    terminal.out(
      `${style.bold(padToWidth(row.model.name, width))}${tone(padToWidth(state || '–', 12))}${style.dim(facts)}\n`,
    );
  }
  if (needsMultilingual) {
    const names = namesOfLanguages(stored.languages);
    terminal.out(`\nYour texts are in ${names}: models for many languages stand first.\n`);
  }
  if (isOverridden) terminal.out('\nSVC_EMBEDDINGS is set and takes precedence over these models.\n');
}

async function remove(name: string, options: Options & { yes?: true }, context: ModelContext): Promise<void> {
  const { models } = await readSettings(options, context);
  const added = await listAddedModels(models);
  if (!added.some((model) => model.name === name)) {
    const here = added.map((model) => model.name).join(', ') || 'none';
    throw new CommandFailure(EXIT.failed, `${name} is not downloaded. Downloaded models: ${here}.`);
  }
  const choice = await readChoice(models);
  const isInUse = choice !== undefined && nameOfChoice(choice) === name;
  if (isInUse && !options.yes) {
    const what = `${name} is in use: without it, accounts that have not chosen another model search by words alone.`;
    throw new CommandFailure(EXIT.failed, `${what} Add another model first, or pass --yes.`);
  }
  if (isInUse) await chooseNone(models);
  await deleteModel(models, name);
  if (options.json) printJson(context, { removed: name, inUse: false });
  else context.terminal.out(`Removed ${name}.\n`);
}

interface Row {
  model: ListedModel;
  manifest: ModelManifest | undefined;
  inUse: boolean;
}

function dataOf({ model, manifest, inUse }: Row) {
  const { files: _, ...listed } = model;
  const { revision = null, addedAt = null } = manifest ?? {};
  const bytes = manifest ? bytesOf(manifest) : model.bytes;
  return { ...listed, bytes, isDownloaded: manifest !== undefined, inUse, revision, addedAt };
}

function stateOf({ manifest, inUse }: Row): 'in use' | 'downloaded' | '' {
  if (inUse) return 'in use';
  return manifest ? 'downloaded' : '';
}

function describe({ bytes, dimensions, languages }: ListedModel): string {
  return `${formatBytes(bytes)}, ${dimensions} dimensions, ${languages}`;
}

function bytesOf({ files }: ModelManifest): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

async function readSettings(
  { dataDir }: Options,
  context: ModelContext,
): Promise<{ models: string; isOverridden: boolean }> {
  const config = await readOperatorConfig(dataDir, context);
  return { models: modelsFolder(config.dataDir), isOverridden: config.embeddings !== undefined };
}

function readHub(text: string | undefined): string {
  try {
    return text ? hubUrl(text) : DEFAULT_HUB;
  } catch (error) {
    throw new CommandFailure(EXIT.usage, `SVC_MODEL_HUB ${(error as Error).message}`);
  }
}

function parseName(name: string): string {
  if (!/^[A-Za-z0-9][\w.-]*$/.test(name)) throw new InvalidArgumentError('That is not a model name.');
  return name;
}
