/** The account that the requests of the ledger are for. */
export interface LedgerAccount {
  memoryId: string;
  conversationId: string;
}

interface LedgerRequest {
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
}

/** A number of what the ledger's account has before it is measured. */
export const LEDGER_CONTENTS = { memories: 200, messages: 100 };

/** A user of the account who taught words. */
const TAUGHT = { user: 'heron' };

/** Stores a memory of another user, and reports it as used for a question. `post` sends a body and returns the answer. */
export async function teachWords(post: (path: string, body: object) => Promise<unknown>): Promise<void> {
  const { id } = (await post('/v1/memories', { content: 'The heron mug is for guests', ...TAUGHT })) as { id: string };
  const found = (await post('/v1/search', { query: 'Which mug is for tea?', ...TAUGHT })) as { searchId: string };
  await post(`/v1/searches/${found.searchId}/feedback`, { used: [id] });
}

/** The requests whose cost is kept in the ledger; `round` makes what they add different each time. */
export const LEDGER_REQUESTS: Readonly<Record<string, (account: LedgerAccount, round: number) => LedgerRequest>> = {
  'add a memory': (_, round) => ({
    method: 'POST',
    path: '/v1/memories',
    body: { content: `The kettle number ${round} stands in the kitchen`, tags: ['tea'] },
  }),
  'read a memory': ({ memoryId }) => ({ method: 'GET', path: `/v1/memories/${memoryId}` }),
  'append two messages': ({ conversationId }, round) => ({
    method: 'POST',
    path: `/v1/conversations/${conversationId}/messages`,
    body: {
      messages: [
        { role: 'user', content: `Where does the kettle number ${round} stand?` },
        { role: 'assistant', content: `Kettle ${round} stands in the kitchen.` },
      ],
    },
  }),
  search: () => ({ method: 'POST', path: '/v1/search', body: { query: 'Which kettle stands in the kitchen?' } }),
  'search by a user who taught words': () => ({
    method: 'POST',
    path: '/v1/search',
    body: { query: 'Is the tea in a mug?', ...TAUGHT },
  }),
  'context for a question': () => ({
    method: 'POST',
    path: '/v1/context',
    body: { query: 'Which kettle stands in the kitchen?' },
  }),
  'context for a prompt': () => ({
    method: 'POST',
    path: '/v1/context',
    body: { query: 'Please describe the kettle in the kitchen', purpose: 'prompt' },
  }),
  'context for the start of a session': () => ({
    method: 'POST',
    path: '/v1/context',
    body: { query: 'tea README.md', purpose: 'session_start' },
  }),
};
