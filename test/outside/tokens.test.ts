import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { estimateTokens, quickCounter, tokenCounterOf } from '../../src/outside/tokens.ts';

const TEXT = 'The deployment uses blue-green releases; Ada decided on 2026-11-20 to keep PostgreSQL 16 and drop Redis.';

test('the token estimate is not below the real count of prose, code, other scripts and encoded bytes', () => {
  const texts = [
    TEXT,
    'export const withLock = async <T>(path: string, { nowMs, signal }: Options): Promise<T | undefined> => {};',
    '我们决定在下一个版本中使用新的数据库，并且删除旧的缓存。',
    'Мы решили использовать новую базу данных в следующей версии.',
    'データベースを移行することにしました。',
    'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==',
    '🍵🫖 tea — “quoted” … naïve café',
  ];
  for (const text of texts) expect(estimateTokens(text), text).toBeGreaterThanOrEqual(countTokens(text));
});

test('who does not wait for the vocabulary gets an estimate, and the exact count once it is loaded', async () => {
  const neverLoaded = () => new Promise<number>(() => undefined);
  const estimated = await (await quickCounter(neverLoaded, 0))(TEXT);
  expect(estimated).toBe(estimateTokens(TEXT));
  const exact = await (await quickCounter(tokenCounterOf('ten_1'), 60_000))(TEXT);
  expect(exact).toBe(countTokens(TEXT));
  expect(exact).toBeLessThan(estimated);
});
