import { expect, test } from 'vitest';
import { startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { newSuggesting } from '../features/suggestions/suggestion-daemon.ts';

test('a daemon compares memories in the background', async () => {
  const daemon = await startMemoryDaemon({ schedulesAll: true });
  try {
    const caller = await newSuggesting(daemon);
    await caller.add('I live in Linz', { occurredAt: '2026-01-01T00:00:00Z' });
    await caller.add('I moved to Graz', { occurredAt: '2026-05-01T00:00:00Z' });
    await expect.poll(() => caller.suggestions(), { timeout: 60_000 }).toHaveLength(1);
  } finally {
    await daemon.close();
  }
});
