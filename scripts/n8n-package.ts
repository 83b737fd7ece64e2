import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { writeLicenses } from './licenses.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Files of the package, by their source: n8n finds a class by the name of its file. */
const NODES = { 'nodes/Svc/Svc.node': 'node', 'nodes/SvcTrigger/SvcTrigger.node': 'trigger' };
const CREDENTIALS = { 'credentials/SvcApi.credentials': 'credentials' };

/** Writes the package of the nodes for n8n: what is published as `n8n-nodes-svc-memory`. */
export async function writeN8nPackage(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const sources = Object.entries({ ...NODES, ...CREDENTIALS });
  const { metafile } = await build({
    entryPoints: Object.fromEntries(sources.map(([file, source]) => [file, `${root}src/client/n8n/${source}.ts`])),
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'warning',
    metafile: true,
  });
  await writeLicenses([metafile], `${folder}/licenses.txt`);
  for (const file of Object.keys(NODES)) {
    await mkdir(dirname(`${folder}/${file}`), { recursive: true });
    await copyFile(`${root}src/dashboard/favicon.svg`, `${dirname(`${folder}/${file}`)}/svc.svg`);
  }
  const { version, license, repository, homepage, bugs } = JSON.parse(await readFile(`${root}package.json`, 'utf8'));
  const manifest = {
    name: 'n8n-nodes-svc-memory',
    version,
    description: 'Nodes for svc, self-hosted memory for AI assistants',
    keywords: ['n8n-community-node-package', 'svc', 'memory', 'ai'],
    ...{ license, repository, homepage, bugs, author: { name: 'svc', url: homepage } },
    n8n: {
      n8nNodesApiVersion: 1,
      credentials: Object.keys(CREDENTIALS).map((file) => `${file}.js`),
      nodes: Object.keys(NODES).map((file) => `${file}.js`),
    },
    peerDependencies: { 'n8n-workflow': '*' },
  };
  await writeFile(`${folder}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
  await copyFile(`${root}LICENSE`, `${folder}/LICENSE`);
  await copyFile(`${root}clients/n8n/README.md`, `${folder}/README.md`);
}
