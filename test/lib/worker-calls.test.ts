import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { createWorkerCalls } from '../../src/lib/worker-calls.ts';

/** Answers a text with itself and the number of the worker; ends with an error at `fail`. */
const PROGRAM = `
  const { parentPort, workerData } = require('node:worker_threads');
  parentPort.on('message', (text) => {
    if (text === 'fail') throw new Error('failed');
    parentPort.postMessage(text + ' by ' + workerData);
  });
`;

function startCalls() {
  let workers = 0;
  const answered: string[] = [];
  const call = createWorkerCalls<string, string>(() => {
    workers += 1;
    return new Worker(PROGRAM, { eval: true, workerData: workers });
  });
  const ask = async (tenantId: string, text: string) => {
    const answer = await call(tenantId, text);
    answered.push(answer);
    return answer;
  };
  return { ask, answered, workers: () => workers };
}

describe('calls of a worker', () => {
  test('get their own answers from one worker, which starts with the first', async () => {
    const { ask, workers } = startCalls();
    expect(workers()).toBe(0);
    const texts = ['a', 'b', 'c', 'd'];
    expect(await Promise.all(texts.map((text) => ask('one', text)))).toEqual(texts.map((text) => `${text} by 1`));
    expect(workers()).toBe(1);
  });

  test('are answered for tenants in turn, so that a tenant with many calls delays no other', async () => {
    const { ask, answered } = startCalls();
    const many = Array.from({ length: 50 }, (_, index) => ask('loud', `loud ${index}`));
    await Promise.all([ask('quiet', 'quiet'), ...many]);
    expect(answered.indexOf('quiet by 1')).toBeLessThan(5);
  });

  test('that the worker had received fail with its error, and a new worker answers the others', async () => {
    const { ask, workers } = startCalls();
    const failing = ask('one', 'fail');
    const waiting = Array.from({ length: 5 }, (_, index) => ask('one', `${index}`));
    await expect(failing).rejects.toThrow('failed');
    const settled = await Promise.allSettled(waiting);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', ...Array(4).fill('fulfilled')]);
    expect([await ask('one', 'again'), workers()]).toEqual(['again by 2', 2]);
  });
});
