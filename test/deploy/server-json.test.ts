import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';

const text = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const server = JSON.parse(await text('deploy/server.json'));
const manifest = JSON.parse(await text('package.json'));
const [npm, image] = server.packages;

interface Argument {
  type: string;
  value: string;
}
const words = ({ packageArguments }: { packageArguments: Argument[] }) => packageArguments.map(({ value }) => value);

/** The rules of the registry's schema 2025-12-11 for the fields that are used, without unknown ones. */
const INPUT = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    type: { enum: ['positional'] },
    value: { type: 'string' },
    description: { type: 'string' },
    placeholder: { type: 'string' },
    isRequired: { type: 'boolean' },
    isSecret: { type: 'boolean' },
  },
  additionalProperties: false,
};
const uri = { type: 'string', format: 'uri' };
const SCHEMA = {
  type: 'object',
  properties: {
    $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
    name: { type: 'string', maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
    title: { type: 'string', minLength: 1, maxLength: 100 },
    description: { type: 'string', minLength: 1, maxLength: 100 },
    version: { type: 'string', maxLength: 255, pattern: '^\\d+\\.\\d+\\.\\d+(-[\\w.]+)?$' },
    websiteUrl: uri,
    repository: {
      type: 'object',
      properties: { url: uri, source: { enum: ['github', 'gitlab'] } },
      required: ['url', 'source'],
      additionalProperties: false,
    },
    packages: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          registryType: { enum: ['npm', 'oci', 'mcpb'] },
          registryBaseUrl: uri,
          identifier: { type: 'string' },
          version: { type: 'string', minLength: 1, not: { const: 'latest' } },
          runtimeHint: { type: 'string' },
          transport: { type: 'object', properties: { type: { enum: ['stdio'] } }, required: ['type'] },
          packageArguments: { type: 'array', items: { ...INPUT, required: ['type', 'value'] } },
          environmentVariables: { type: 'array', items: { ...INPUT, required: ['name'] } },
          fileSha256: { type: 'string', pattern: '^[a-f0-9]{64}$' },
        },
        required: ['registryType', 'identifier', 'transport'],
        additionalProperties: false,
      },
    },
  },
  required: ['$schema', 'name', 'description', 'version'],
  additionalProperties: false,
};

describe('deploy/server.json', () => {
  test('keeps to the schema of the registry', () => {
    const ajv = new Ajv({ strict: false, allErrors: true });
    formats.default(ajv);
    const isValid = ajv.validate(SCHEMA, server);
    expect([isValid, ajv.errors]).toEqual([true, null]);
  });

  test('says what package.json says', () => {
    expect(server.name).toBe(manifest.mcpName);
    expect([server.version, npm.version]).toEqual([manifest.version, manifest.version]);
    expect([npm.registryType, npm.identifier]).toEqual(['npm', manifest.name]);
    expect(`git+${server.repository.url}.git`).toBe(manifest.repository.url);
    expect(server.websiteUrl).toBe(manifest.homepage);
    // The account that owns the repository may publish under this name.
    const [, owner, repository] = /^https:\/\/github\.com\/([\w-]+)\/([\w-]+)$/.exec(server.repository.url)!;
    expect(server.name).toBe(`io.github.${owner}/${repository}`);
  });

  test('names an image of this version, whose label names the server', async () => {
    expect([image.registryType, image.version]).toEqual(['oci', undefined]);
    expect(image.identifier).toMatch(new RegExp(`^ghcr\\.io/[\\w/-]+:${manifest.version.replaceAll('.', '\\.')}$`));
    const labels = [...(await text('Dockerfile')).matchAll(/io\.modelcontextprotocol\.server\.name="([^"]*)"/g)];
    expect(labels.map(([, name]) => name)).toEqual([server.name]);
  });

  test('starts the bridge: npx with the only program of the package, the container with its command', async () => {
    expect(Object.keys(manifest.bin)).toEqual(['svc']);
    expect([words(npm), words(image)]).toEqual([['mcp'], ['svc', 'mcp']]);
    // Without an entry point, arguments replace the command.
    expect(await text('Dockerfile')).not.toMatch(/^ENTRYPOINT/m);
  });

  test('asks for the address and the key, which is a secret, and holds none', () => {
    for (const { environmentVariables } of server.packages) {
      const given = Object.fromEntries(environmentVariables.map((one: { name: string }) => [one.name, one]));
      expect(Object.keys(given)).toEqual(['SVC_URL', 'SVC_API_KEY']);
      expect(given.SVC_API_KEY).toMatchObject({ isSecret: true });
    }
    expect(JSON.stringify(server)).not.toMatch(/svc_live_|svc_dev_/);
  });
});
