import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { writeClientTypes } from './client-types.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Entry points of the client package and the peers that each imports, if only types. */
const ENTRIES = {
  '.': { source: 'entry', peers: {} },
  './ai-sdk': { source: 'ai-sdk', peers: { ai: '^6.0.0' } },
  './anthropic': { source: 'anthropic', peers: { '@anthropic-ai/sdk': '^1.14.0' } },
  './google-adk': { source: 'google-adk', peers: {} },
  './langgraph': { source: 'langgraph', peers: { '@langchain/langgraph-checkpoint': '^1.2.2' } },
  './llamaindex': { source: 'llamaindex', peers: {} },
  './mastra': { source: 'mastra', peers: {} },
  './openai-agents': { source: 'openai-agents', peers: { '@openai/agents-core': '>=0.3.0' } },
  './openclaw': { source: 'openclaw', peers: {} },
};

/** OpenClaw installs the package as a plugin. */
const OPENCLAW = { extensions: ['./openclaw.js'], compat: { pluginApi: '>=2026.9.6' } };

/** Writes the package of the client library: everything that is published, types included. */
export async function writeClientPackage(folder: string): Promise<void> {
  await writeClientCode(folder);
  await writeClientTypes(`${folder}/types`);
}

/** Writes the package of the client library without its types, which take longest. */
export async function writeClientCode(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await bundleClient(folder);
  await writeFile(`${folder}/package.json`, `${JSON.stringify(await manifest(), null, 2)}\n`);
  await copyFile(`${root}LICENSE`, `${folder}/LICENSE`);
  await copyFile(`${root}plugins/openclaw/openclaw.plugin.json`, `${folder}/openclaw.plugin.json`);
  await writeFile(`${folder}/README.md`, await readme());
}

/** Writes the code of the client library: one file without imports for each entry point, but for their peers. */
export async function bundleClient(folder: string): Promise<void> {
  const entryPoints = Object.values(ENTRIES).map(({ source }) => `${root}src/client/${source}.ts`);
  const external = Object.values(ENTRIES).flatMap(({ peers }) => Object.keys(peers));
  await build({
    entryPoints,
    external,
    outdir: folder,
    bundle: true,
    platform: 'neutral',
    format: 'esm',
    target: 'es2022',
    // Shorter, with names and lines as they are in the source.
    minifySyntax: true,
    logLevel: 'warning',
  });
}

/** Derives the manifest from that of the daemon, so that their versions cannot differ. */
async function manifest(): Promise<object> {
  const daemon = JSON.parse(await readFile(`${root}package.json`, 'utf8'));
  const peers = Object.assign({}, ...Object.values(ENTRIES).map((entry) => entry.peers));
  return {
    name: '@svc-memory/client',
    version: daemon.version,
    description:
      'Typed client of svc, self-hosted memory for AI assistants, with adapters for agent frameworks and SDKs.',
    keywords: [
      'svc',
      'memory',
      'ai',
      'agents',
      'llm',
      'ai-sdk',
      'claude',
      'langgraph',
      'llamaindex',
      'mastra',
      'openai-agents',
      'openclaw',
    ],
    license: daemon.license,
    repository: daemon.repository,
    homepage: daemon.homepage,
    bugs: daemon.bugs,
    type: 'module',
    sideEffects: false,
    engines: daemon.engines,
    exports: {
      ...Object.fromEntries(
        Object.entries(ENTRIES).map(([path, { source }]) => [
          path,
          { types: `./types/client/${source}.d.ts`, default: `./${source}.js` },
        ]),
      ),
      './package.json': './package.json',
    },
    openclaw: OPENCLAW,
    peerDependencies: peers,
    peerDependenciesMeta: Object.fromEntries(Object.keys(peers).map((name) => [name, { optional: true }])),
  };
}

/** The guide, with links that work outside the repository. */
async function readme(): Promise<string> {
  const { homepage } = JSON.parse(await readFile(`${root}package.json`, 'utf8'));
  const guide = await readFile(`${root}docs/client.md`, 'utf8');
  const folder = homepage.replace(/#.*/, '/blob/main/docs/');
  return guide.replaceAll(/\]\((?!https?:|#)/g, `](${folder}`);
}
