import { test } from 'vitest';
import { expectSameAnswers } from '../../helpers/same-answers.ts';

test('known, unknown, barred and flooded addresses get the same bytes in the same time', () =>
  expectSameAnswers({ count: 500, band: 1.4 }));
