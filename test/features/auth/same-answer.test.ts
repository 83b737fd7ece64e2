import { test } from 'vitest';
import { expectSameAnswers } from '../../helpers/same-answers.ts';

test('answers known, unknown, barred and rate-limited addresses with the same bytes', () =>
  expectSameAnswers({ count: 40 }));

test('answers terminal sign-ins for all of them with the same bytes', () =>
  expectSameAnswers({ count: 40, of: 'terminal' }));

test('answers devices that ask for any of them with the same bytes', () =>
  expectSameAnswers({ count: 40, of: 'device' }));
