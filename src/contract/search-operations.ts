import { EXAMPLE_MEMORY } from './memories-operations.ts';
import { tagged } from './operations.ts';

const SEARCH_ID = 'srch_01a2016d93707280a33e012e50119f01';
const { version: _version, updatedAt: _updatedAt, ...RESULT } = EXAMPLE_MEMORY;

const STORED_SEARCH = {
  id: SEARCH_ID,
  query: 'what does Ada drink',
  user: 'ada',
  project: null,
  client: 'claude-code/2.1.0',
  bucket: 'question',
  types: ['memory', 'message', 'episode'],
  results: [{ type: 'memory', id: EXAMPLE_MEMORY.id, rank: 1, used: true, irrelevant: false }],
  learned: true,
  createdAt: '2026-11-22T04:05:00.000Z',
};

export const SEARCH_OPERATIONS = tagged('search', {
  'POST /v1/search': {
    id: 'search.query',
    summary: 'Search memories, messages and episodes',
    scope: 'memory:read',
    description:
      'Ranks what one user has by words, spelling, date, context and, with an embedding model, meaning. `asOf` answers with what was valid then; `includeSuperseded` adds memories that no longer are; `explain` adds how each result was scored. `minRelevance` leaves out what hardly answers the query; `contextTokens` adds the text of a context. Counts as one query.',
    request: { query: 'what does Ada drink', user: 'ada', limit: 1 },
    answer: {
      searchId: SEARCH_ID,
      confidence: 0.5406,
      results: [{ type: 'memory', score: 0.842625, relevance: 0.4237, ...RESULT }],
      strategy: { name: 'default', weights: { lexical: 2, trigram: 1, window: 2.5 }, learnedFrom: 0 },
      tookMs: 5.63,
    },
    errors: ['not_found', 'conflict', 'unprocessable', 'quota_exceeded'],
  },
  'POST /v1/context': {
    id: 'search.context',
    summary: 'Compose a block of text for a prompt within a token budget',
    scope: 'memory:read',
    description:
      'Searches and composes the best results into one block of text for a prompt: of a long text the passages that match. Counts as one query.',
    request: { query: 'what does Ada drink', user: 'ada', maxTokens: 200 },
    answer: {
      searchId: SEARCH_ID,
      confidence: 0.5406,
      text: 'What is remembered (newest knowledge wins; cite by number):\n[1] (2026-11-22, assistant) Ada prefers oolong tea, never coffee after four',
      citations: [{ marker: '[1]', type: 'memory', id: EXAMPLE_MEMORY.id, score: 0.8429, relevance: 0.4237 }],
      tokens: 34,
    },
    errors: ['not_found', 'conflict', 'unprocessable', 'quota_exceeded'],
  },
  'POST /v1/searches/{searchId}/feedback': {
    id: 'searches.feedback',
    summary: 'Report which results helped, for the ranking to learn from',
    description:
      'Names results that helped and results that were irrelevant, for the ranking to learn from. Accepted within 24 hours of the search. Each search is learned from once; repeated feedback has no effect.',
    request: { used: [EXAMPLE_MEMORY.id] },
    answer: { learned: true, events: 1 },
  },
  'GET /v1/searches': {
    id: 'searches.list',
    summary: 'List the searches of the last 24 hours, newest first',
    description:
      'Lists the searches and contexts of the last 24 hours, of all users or of one, newest first: what was asked, by which client, which results were shown, and which of them helped. `exceptClient=svc web app` leaves out those of people in the web app. Credentials in queries are masked as in memories.',
    answer: { data: [STORED_SEARCH], nextCursor: null },
  },
  'GET /v1/searches/{searchId}': {
    id: 'searches.get',
    summary: 'Get a recent search',
    description: 'Returns a search of the last 24 hours.',
    answer: STORED_SEARCH,
    etag: true,
  },
  'GET /v1/retrieval': {
    id: 'retrieval.get',
    summary: 'Show what the ranking learned for a user',
    description: 'Returns the mixture of experts and the weights that feedback of this user led to.',
    answer: {
      user: 'ada',
      events: 1,
      updatedAt: '2026-11-22T04:05:00.000Z',
      usesWords: true,
      infersUses: true,
      mixture: { default: 0.9, learned: 0.1 },
      signals: { lexical: { delta: 0.02, defaultWeight: 2, weight: 2.01 } },
      buckets: { question: [{ signal: 'lexical', delta: 0.02 }] },
    },
    etag: true,
  },
  'DELETE /v1/retrieval': {
    id: 'retrieval.delete',
    summary: 'Reset what the ranking learned for a user',
    description:
      'Forgets what the ranking learned for this user, words included; the default ranking applies again. What is switched on does not change.',
    ifMatch: true,
  },
  'PATCH /v1/retrieval': {
    id: 'retrieval.change',
    summary: 'Switch the learning of words for a user',
    description:
      'Switches on or off that words of questions are learned and find what was used for them (`usesWords`; those learned before stay until they are forgotten), and that uses which nobody reported are inferred: from reading or changing a result, from another wording of a question, and from answers that are stored as messages (`infersUses`). What is absent stays.',
    request: { usesWords: false },
    answer: {
      user: 'ada',
      events: 1,
      updatedAt: '2026-11-22T04:05:00.000Z',
      usesWords: false,
      infersUses: true,
      mixture: { default: 0.9, learned: 0.1 },
      signals: { lexical: { delta: 0.02, defaultWeight: 2, weight: 2.01 } },
      buckets: { question: [{ signal: 'lexical', delta: 0.02 }] },
    },
    etag: true,
    errors: ['not_found'],
  },
  'GET /v1/retrieval/languages': {
    id: 'retrieval.languages',
    summary: 'List the languages of what is stored, and whether searches by meaning know them',
    description:
      'Counts the languages of the newest memories and messages, and says whether the embedding model of searches is for them. Does not count as a query.',
    answer: {
      languages: [
        { language: 'de', texts: 61 },
        { language: 'en', texts: 39 },
      ],
      meaning: 'english',
      needsMultilingualModel: true,
    },
  },
  'GET /v1/retrieval/words': {
    id: 'retrieval.words.list',
    summary: 'List the words that lead a user to items, the last used first',
    description:
      'Lists the words of questions that lead a user to items which were used for them, the last used first; with `itemId` those of one item. They stay until they are forgotten, their item is erased, or 5,000 newer ones were used.',
    answer: {
      data: [
        {
          word: 'beverage',
          type: 'memory',
          itemId: EXAMPLE_MEMORY.id,
          text: EXAMPLE_MEMORY.content,
          uses: 2,
          observedUses: 0,
          strength: 2,
          lastUsedAt: '2026-11-22T04:05:00.000Z',
        },
      ],
      nextCursor: null,
    },
  },
  'DELETE /v1/retrieval/words': {
    id: 'retrieval.words.delete',
    summary: 'Forget learned words of a user',
    description: 'Forgets a word, the words of an item, a word of an item, or all words of the user.',
  },
});
