import { tagged } from './operations.ts';

const OLDER = 'mem_01a2016d8d347075853487a30ea29a42';
const NEWER = 'mem_01a2016db1d37f6e9f1d2a7b5c3e4f02';

const SUGGESTION = {
  id: 'sug_01a2016dc0de7c0e8f1a2b3c4d5e6f70',
  kind: 'supersede',
  user: 'ada',
  project: null,
  memoryIds: [OLDER, NEWER],
  content: null,
  validFrom: '2026-11-22T04:04:46.511Z',
  evidence: [
    { id: OLDER, text: 'The standup is at 9:30' },
    { id: NEWER, text: 'The standup is at 10 from now on' },
  ],
  reason: 'The newer one states another value.',
  confidence: 0.8,
  by: 'rules',
  byName: null,
  state: 'open',
  createdAt: '2026-11-22T04:05:00.000Z',
  decidedAt: null,
  decidedBy: null,
  undoneAt: null,
};

const ACCEPTED = {
  ...SUGGESTION,
  state: 'accepted',
  decidedAt: '2026-11-22T06:00:00.000Z',
  decidedBy: 'Firefox',
};

const REOPENED = { ...SUGGESTION, undoneAt: '2026-11-22T06:01:00.000Z' };

const WAITING = { mode: 'review', minConfidence: 0.95, pausedUntil: null };
const SETTINGS = {
  add: WAITING,
  merge: WAITING,
  supersede: WAITING,
  contradiction: { mode: 'review' },
  expire: { mode: 'review' },
  split: { mode: 'review' },
};

export const SUGGESTION_OPERATIONS = tagged('suggestions', {
  'GET /v1/suggestions': {
    id: 'suggestions.list',
    summary: 'List suggestions, newest first',
    description:
      'Lists suggested changes of memories page by page. svc compares new and changed memories with those like them, and suggests what its rules find; assistants may suggest too. `state=open` lists what waits for a decision.',
    answer: { data: [SUGGESTION], nextCursor: null },
  },
  'POST /v1/suggestions': {
    id: 'suggestions.createMany',
    summary: 'Suggest changes of memories',
    description:
      'Stores suggestions, all or none; they change nothing until they are accepted. The words of the evidence must stand in what it names. What was suggested before for the same texts, by anyone, is answered as it stands with `duplicate: true`, so that what was rejected is not suggested again.',
    request: {
      suggestions: [
        {
          kind: 'supersede',
          memoryIds: SUGGESTION.memoryIds,
          evidence: SUGGESTION.evidence,
          reason: SUGGESTION.reason,
          confidence: 0.8,
        },
      ],
    },
    answer: { data: [{ ...SUGGESTION, by: 'assistant', byName: 'claude-code' }] },
    once: true,
    errors: ['not_found', 'conflict', 'unprocessable'],
  },
  'POST /v1/suggestions/decide': {
    id: 'suggestions.decide',
    summary: 'Decide up to 100 suggestions, each separately',
    description:
      'Accepts, rejects or undoes each suggestion in its own transaction. One that cannot be decided is answered with its error and stops no other.',
    request: { decisions: [{ id: SUGGESTION.id, decision: 'accept' }] },
    answer: { data: [{ id: SUGGESTION.id, suggestion: ACCEPTED, error: null }] },
    once: true,
    scope: 'account',
  },
  'GET /v1/suggestion-settings': {
    id: 'suggestions.settings.get',
    summary: 'Get what happens with suggestions of each kind',
    description: 'Returns what happens with suggestions of each kind.',
    answer: SETTINGS,
    etag: true,
  },
  'PATCH /v1/suggestion-settings': {
    id: 'suggestions.settings.update',
    summary: 'Change what happens with suggestions of some kinds',
    description:
      "Changes what happens with suggestions of the given kinds: they wait for a person (`review`), those that svc finds by its rules are accepted from a confidence on (`automatic`), or none are made (`off`). In a day, what is accepted automatically touches at most 2 % of a user's memories, and 20; after two undone decisions of a kind within a week it waits for review for a week. Each can be undone like any other.",
    request: { merge: { mode: 'automatic', minConfidence: 0.97 } },
    answer: { ...SETTINGS, merge: { mode: 'automatic', minConfidence: 0.97, pausedUntil: null } },
    etag: true,
    scope: 'account',
  },
  'GET /v1/suggestions/{id}': {
    id: 'suggestions.get',
    summary: 'Get a suggestion',
    description: 'Returns a suggestion with the words that support it.',
    answer: SUGGESTION,
    etag: true,
  },
  'POST /v1/suggestions/{id}/accept': {
    id: 'suggestions.accept',
    summary: 'Accept a suggestion',
    description:
      'Applies a suggestion in one transaction; nothing is erased. `merge` keeps the oldest memory with the tags and metadata of all and supersedes the others, `supersede` ends the validity of the older ones, `add` stores the content, `expire` ends the validity of a memory, `split` stores a memory for each line. A contradiction needs `keep`. `content` stores another text.',
    request: { content: 'The standup is at 10' },
    optionalBody: true,
    answer: ACCEPTED,
    etag: true,
    ifMatch: true,
    once: true,
    scope: 'account',
    errors: ['conflict', 'quota_exceeded'],
  },
  'POST /v1/suggestions/{id}/reject': {
    id: 'suggestions.reject',
    summary: 'Reject a suggestion',
    description: 'Rejects a suggestion. It is not suggested again for the same texts.',
    answer: { ...ACCEPTED, state: 'rejected' },
    etag: true,
    ifMatch: true,
    once: true,
    scope: 'account',
    errors: ['conflict'],
  },
  'POST /v1/suggestions/{id}/undo': {
    id: 'suggestions.undo',
    summary: 'Undo the decision on a suggestion',
    description:
      'Opens a suggestion again that was decided in the last 30 days. What accepting changed is as it was before. If a memory was changed since, the answer is 409 and names it.',
    answer: REOPENED,
    etag: true,
    ifMatch: true,
    once: true,
    scope: 'account',
    errors: ['conflict'],
  },
});
