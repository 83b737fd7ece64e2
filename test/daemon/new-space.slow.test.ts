import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';

test('the space for new objects stays small until it may grow', async () => {
  const script = fileURLToPath(new URL('./new-space-process.ts', import.meta.url));
  const { stdout } = await execa(process.execPath, ['--import', 'tsx', script]);
  const { small, grown } = JSON.parse(stdout) as { small: number; grown: number };
  expect(grown).toBeGreaterThan(small);
});
