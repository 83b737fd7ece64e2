import { test } from 'vitest';
import { expectSameAnswers } from '../helpers/same-answers.ts';

test('answers a thousand known, unknown, barred and flooded addresses each with the same bytes in the same time', () =>
  expectSameAnswers({ count: 4000, band: 1.2 }));
