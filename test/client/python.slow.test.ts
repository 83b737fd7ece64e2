import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { pythonModules } from '../../scripts/python-client.ts';

const FOLDER = fileURLToPath(new URL('../../clients/python/src/svc_memory/', import.meta.url));

test('the generated modules of the Python client are those of the API', async () => {
  const advice = 'run `node --import tsx scripts/python-client.ts`';
  for (const [name, text] of Object.entries(await pythonModules())) {
    expect(await readFile(FOLDER + name, 'utf8'), advice).toBe(text);
  }
});
