import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { root } from '../build-options.mjs';
import { readManifest } from './program-folder.ts';
import { NODE_VERSION } from './runtime.ts';

const REPOSITORY = 'https://github.com/svc-memory/svc';

/** Returns the section of a version in the changelog or, before it has one, what is unreleased. */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = [`[${version}]`, '[Unreleased]'].map((title) => sections.find((text) => text.startsWith(title)));
  const text = section.find((found) => found !== undefined);
  if (text === undefined) throw new Error(`CHANGELOG.md has neither a section [${version}] nor [Unreleased].`);
  return `${text.slice(text.indexOf('\n')).trim()}\n`;
}

interface Component {
  'bom-ref': string;
  name: string;
  version: string;
}

/**
 * Returns the parts of the program in CycloneDX: the packages that `licenses` names, from npm's list of all that are
 * locked, and Node.js.
 */
export async function billOfMaterials(licenses: string): Promise<object> {
  const words = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const { stdout } = await execa('npm', words, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  const { serialNumber: _random, ...list } = JSON.parse(stdout);
  const isShipped = ({ name, version }: Component) => licenses.includes(`\n${name} ${version} (`);
  const components: Component[] = (list.components as Component[]).filter(isShipped);
  const references = new Set([list.metadata.component['bom-ref'], ...components.map((one) => one['bom-ref'])]);
  const dependencies = (list.dependencies as { ref: string; dependsOn: string[] }[])
    .filter(({ ref }) => references.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => references.has(one)) }));
  const purl = `pkg:generic/node@${NODE_VERSION}`;
  const node = { 'bom-ref': purl, type: 'platform', name: 'node', version: NODE_VERSION, purl };
  return { ...list, components: [...components, node], dependencies };
}

/** Returns the SLSA provenance of files, as an in-toto statement. The release workflow signs it. */
export async function provenance(
  files: readonly { name: string; sha256: string }[],
  { tag, builder }: { tag: string; builder: string },
): Promise<object> {
  const { stdout: commit } = await execa('git', ['rev-parse', 'HEAD'], { cwd: root });
  const { version } = await readManifest();
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: files.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: `${REPOSITORY}/blob/main/scripts/release.ts`,
        externalParameters: { tag, version },
        resolvedDependencies: [
          { uri: `git+${REPOSITORY}@refs/tags/${tag}`, digest: { gitCommit: commit } },
          { uri: `pkg:generic/node@${NODE_VERSION}` },
        ],
      },
      runDetails: { builder: { id: builder } },
    },
  };
}

/** The changelog of this source. */
export function readChangelog(): Promise<string> {
  return readFile(join(root, 'CHANGELOG.md'), 'utf8');
}
