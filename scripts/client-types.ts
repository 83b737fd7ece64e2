import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** A type that a module of the contract exports, as the compiler emitted its declaration. */
interface Declared {
  name: string;
  module: string;
  text: string;
}

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const CACHE = `${root}.cache`;
/** Declarations that are derived from a value, such as a schema. */
const DERIVED = /\bStatic<|\btypeof\b/;

/**
 * Writes the declarations of the client library. The contract derives its types from schemas; here each is written out,
 * so that the library needs no schema library to be type-checked.
 */
export async function writeClientTypes(folder: string): Promise<void> {
  await mkdir(`${folder}/client`, { recursive: true });
  await mkdir(CACHE, { recursive: true });
  // Tests write several packages at once.
  const work = await mkdtemp(`${CACHE}/client-types-`);
  try {
    await compile(`${root}tsconfig.client.json`, `${work}/emitted`);
    const emitted = await readFolder(`${work}/emitted/client`);
    const declared = await contractTypes(emitted, work);
    const derived = declared.filter(({ text }) => DERIVED.test(text));
    const written = await writtenOut(derived, work);
    const contract = declared.map(({ name, text }) => written.get(name) ?? text).join('\n');
    await writeFile(`${folder}/contract.d.ts`, `${contract}\n`);
    for (const [name, text] of emitted) await writeFile(`${folder}/client/${name}`, withOneContract(text));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function compile(config: string, outDir: string): Promise<void> {
  const words = ['-p', config, '--outDir', outDir];
  await run(`${root}node_modules/.bin/tsc`, words, { cwd: root }).catch(({ stdout }) => {
    throw new Error(`The declarations of the client could not be compiled:\n${stdout}`);
  });
}

async function readFolder(folder: string): Promise<Map<string, string>> {
  const names = await readdir(folder);
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(`${folder}/${name}`, 'utf8')] as const)),
  );
}

/** Returns the types of the contract's modules that the client imports, and of those that these export again. */
async function contractTypes(emitted: ReadonlyMap<string, string>, work: string): Promise<Declared[]> {
  const imported = [...emitted.values()].flatMap((text) => [...text.matchAll(/\.\.\/contract\/([\w-]+)\.ts/g)]);
  const modules = new Set(imported.map(([, module]) => module!));
  const declared: Declared[] = [];
  // Iterates over what is added meanwhile, too.
  for (const module of modules) {
    const text = await readFile(`${work}/emitted/contract/${module}.d.ts`, 'utf8');
    for (const [, again] of text.matchAll(/^export .* from '\.\/([\w-]+)\.ts'/gm)) modules.add(again!);
    for (const statement of statementsOf(text)) {
      const name = /^export (?:type|interface) (\w+)/m.exec(statement)?.[1];
      if (name !== undefined) declared.push({ name, module, text: statement });
    }
  }
  return declared;
}

/** Splits a declaration file at the lines that begin a statement or its comment. */
function statementsOf(text: string): string[] {
  return text
    .split(/^(?<!\*\/\n)(?=\/\*\*|export |declare |import |type |interface )/m)
    .map((statement) => statement.trim());
}

/** Lets the compiler evaluate the types: the declaration of an inferred constant has its type in full. */
async function writtenOut(types: readonly Declared[], work: string): Promise<Map<string, string>> {
  const modules = [...new Set(types.map(({ module }) => module))];
  const source = [
    ...modules.map((module, index) => `import type * as m${index} from '../../src/contract/${module}.ts';`),
    'declare function evaluated<T>(): { type: T };',
    ...types.map(({ name, module }) => `export const ${name} = evaluated<m${modules.indexOf(module)}.${name}>();`),
  ];
  await writeFile(`${work}/written.ts`, source.join('\n'));
  const config = { extends: `${root}tsconfig.client.json`, compilerOptions: { rootDir: root }, files: ['written.ts'] };
  await writeFile(`${work}/tsconfig.json`, JSON.stringify(config));
  await compile(`${work}/tsconfig.json`, `${work}/out`);
  const emitted = await readFile(`${work}/out/${relative(root, work)}/written.d.ts`, 'utf8');
  // All types go to one file, where they find each other by name.
  const text = emitted.replaceAll(/\bm\d+\.|import\("[^"]*\/contract\/[\w-]+\.ts"\)\./g, '');
  const found = new Map<string, string>();
  for (const [, name, type] of text.matchAll(/^export declare const (\w+): \{\n {4}type: ([\s\S]*?);\n\};$/gm)) {
    const { module } = types.find((one) => one.name === name)!;
    found.set(name!, `export type ${name} = ${await withDescriptions(type!.replace(/^ {4}/gm, ''), name!, module)};`);
  }
  for (const { name } of types) {
    const result = found.get(name);
    if (result === undefined || result === `export type ${name} = ${name};` || /import\(|Static</.test(result)) {
      throw new Error(`${name} could not be written out.`);
    }
  }
  return found;
}

/** Adds the descriptions of a schema's properties as comments. */
async function withDescriptions(type: string, name: string, module: string): Promise<string> {
  const schemas = await import(`${root}src/contract/${module}.ts`);
  const properties: Record<string, { description?: string }> = schemas[name]?.properties ?? {};
  return type.replace(/^ {4}(\w+)\??: /gm, (line, property: string) => {
    const description = properties[property]?.description;
    return description === undefined ? line : `    /** ${description} */\n${line}`;
  });
}

/** Redirects imports from the modules of the contract to the one file. */
function withOneContract(text: string): string {
  const redirected = text.replaceAll(/\.\.\/contract\/[\w-]+\.ts/g, '../contract.ts');
  const [first = ''] = /^export type \* from '\.\.\/contract\.ts';\n/m.exec(redirected) ?? [];
  return first === '' ? redirected : redirected.replaceAll(first, '').concat(first);
}
