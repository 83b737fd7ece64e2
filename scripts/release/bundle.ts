import { copyFile, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { execa } from 'execa';
import { TOOL_SETS } from '../../src/cli/bridge/tool-sets.ts';
import { DEFAULT_URL } from '../../src/cli/settings.ts';
import { daemonBuild, root } from '../build-options.mjs';
import { writeLicenses } from '../licenses.mjs';
import { checksumOf, RELEASE_FOLDER, releaseTime } from './archive.ts';

const NAME = 'svc.mcpb';
const ENTRY_POINT = 'server/main.mjs';

interface Package {
  name: string;
  version: string;
  description: string;
  keywords: string[];
  license: string;
  homepage: string;
  bugs: string;
  repository: { type: string; url: string };
  engines: { node: string };
}

/**
 * Writes `svc.mcpb`, which Claude Desktop installs: the bridge in one file, for every system. Beside it go its checksum and
 * the `server.json` of a release, which names it. The same source and packages give the same bytes. Needs zip. Returns the
 * path.
 */
export async function writeBundle(output = RELEASE_FOLDER): Promise<string> {
  const manifest: Package = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  await mkdir(output, { recursive: true });
  const folder = await mkdtemp(join(output, '.bundle-'));
  const bundle = join(output, NAME);
  try {
    const files = ['manifest.json', 'LICENSE', 'licenses.txt', ENTRY_POINT];
    const { metafile } = await build({
      ...daemonBuild,
      entryPoints: [join(root, 'src/bridge-main.ts')],
      outdir: undefined,
      outfile: join(folder, ENTRY_POINT),
      splitting: false,
      metafile: true,
    });
    await writeLicenses([metafile], join(folder, 'licenses.txt'));
    await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
    await writeFile(join(folder, 'manifest.json'), `${JSON.stringify(bundleManifest(manifest), null, 2)}\n`);
    await pack(folder, files, bundle);
    const checksum = await checksumOf(bundle);
    await writeFile(`${bundle}.sha256`, `${checksum}  ${NAME}\n`);
    await writeRegistryEntry(manifest, checksum, join(output, 'server.json'));
    return bundle;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function pack(folder: string, files: readonly string[], bundle: string): Promise<void> {
  // A zip cannot hold a time before 1980.
  const seconds = Math.max(Number(await releaseTime()), 315_532_800);
  for (const file of files) await utimes(join(folder, file), seconds, seconds);
  await rm(bundle, { force: true });
  await execa('zip', ['-q', '-9', '-X', '-D', bundle, ...files], { cwd: folder, env: { TZ: 'UTC' } });
}

/** Stands for a value that the assistant asks for. */
const asked = (name: 'url' | 'key') => `\${user_config.${name}}`;

/** See github.com/anthropics/mcpb, MANIFEST.md. */
function bundleManifest({ version, description, keywords, license, homepage, bugs, repository, engines }: Package) {
  return {
    manifest_version: '0.4',
    name: 'svc',
    display_name: 'svc memory',
    version,
    description,
    long_description:
      'Connects to your own svc, whose address and key it asks for. Memories stay there: this bundle only passes messages on. Start a daemon with `svc serve`; its web app shows the key once, when you sign in.',
    author: { name: 'svc', url: homepage },
    repository: { type: repository.type, url: repository.url.replace(/^git\+/, '') },
    homepage,
    support: bugs,
    license,
    keywords,
    server: {
      type: 'node',
      entry_point: ENTRY_POINT,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${ENTRY_POINT}`],
        env: { SVC_URL: asked('url'), SVC_API_KEY: asked('key') },
      },
    },
    tools: TOOL_SETS.everyday.builtIn.map(({ name, description }) => ({ name, description })),
    prompts_generated: true,
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: engines.node } },
    user_config: {
      url: {
        type: 'string',
        title: 'Address of svc',
        description: 'Where your svc daemon listens',
        required: true,
        default: DEFAULT_URL,
      },
      key: {
        type: 'string',
        title: 'Key',
        description: 'The API key of your account (svc_live_…), or the token of a device (svc_dev_…)',
        required: true,
        sensitive: true,
      },
    },
  };
}

/** Writes `deploy/server.json` with the bundle added, whose checksum is known only now. */
async function writeRegistryEntry({ version, repository }: Package, checksum: string, file: string): Promise<void> {
  const server = JSON.parse(await readFile(join(root, 'deploy/server.json'), 'utf8'));
  const releases = repository.url.replace(/^git\+|\.git$/g, '');
  const bundle = {
    registryType: 'mcpb',
    identifier: `${releases}/releases/download/v${version}/${NAME}`,
    fileSha256: checksum,
    transport: { type: 'stdio' },
  };
  const packages = [...server.packages, bundle];
  await writeFile(file, `${JSON.stringify({ ...server, packages }, null, 2)}\n`);
}
