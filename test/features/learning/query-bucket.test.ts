import { expect, test } from 'vitest';
import { bucketOf, type QueryBucket, textTraitsOf } from '../../../src/features/learning/query-bucket.ts';

const plain = { terms: 5, hasDate: false, unknownShare: 0, namesSpeaker: false };
const of = (query: string, more = {}) => bucketOf({ ...plain, ...textTraitsOf(query), ...more });

test.each<[string, object, QueryBucket]>([
  ['error in ticket PROJ-4711', {}, 'id'],
  ['order 20931188', {}, 'id'],
  ['what is src/app2.ts for', {}, 'id'],
  ['3f2b9c1e-88aa-4d7c-9a55-0c1d2e3f4a5b', {}, 'id'],
  ['what happened', { hasDate: true }, 'date'],
  ['the latest plan for the garden fence', {}, 'recency'],
  ['where does Ana live now', { hasDate: true }, 'date'],
  ['blorb frotz xyzzy', { unknownShare: 0.3 }, 'unknown'],
  ['what does Ana like', { namesSpeaker: true }, 'speaker'],
  ['When did we plant the trees', {}, 'count'],
  ['how many cats are there', {}, 'count'],
  ['tea pot', { terms: 2 }, 'short'],
  ['how the whole garden looks', {}, 'other'],
])('%s falls into the first bucket that fits', (query, more, bucket) => {
  expect(of(query, more)).toBe(bucket);
});
