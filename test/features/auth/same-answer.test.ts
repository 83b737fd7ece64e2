import { test } from 'vitest';
import { expectSameAnswers } from '../../helpers/same-answers.ts';

test('answers known, unknown, barred and rate-limited addresses with the same bytes', () =>
  expectSameAnswers({ count: 120 }));

test('answers terminal sign-ins for all of them with the same bytes', () =>
  expectSameAnswers({ count: 120, terminal: true }));
