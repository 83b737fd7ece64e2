import type { AddressInfo } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify from 'fastify';
import { AddedMemory, Memory, NewMemory } from '../src/contract/memories.ts';
import { SearchAnswer, SearchRequest } from '../src/contract/search.ts';
import { createTexts } from './texts.ts';

// Baseline for the daemon: plain Fastify with the same schemas and responses of the same size, without authentication,
// rate limits or a database.

const texts = createTexts(1);
const memory = (): Memory => ({
  id: 'mem_0190a6f3c2b87d1e9f4a5b6c7d8e9f01',
  content: texts.memory(),
  user: 'default',
  project: null,
  externalId: null,
  client: null,
  author: null,
  origin: null,
  tags: [],
  metadata: {},
  source: null,
  occurredAt: null,
  saidAt: null,
  expiresAt: null,
  pinned: false,
  validFrom: '2026-01-01T00:00:00.000Z',
  validTo: null,
  supersededBy: null,
  version: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
});
const stored = memory();
const found: SearchAnswer = {
  searchId: 'srch_0190a6f3c2b87d1e9f4a5b6c7d8e9f01',
  confidence: 0.5,
  results: Array.from({ length: 10 }, () => ({ type: 'memory', score: 0.5, relevance: 0.5, ...memory() })),
  strategy: { name: 'default', weights: { lexical: 1, recency: 0 }, learnedFrom: 0 },
  tookMs: 1,
};

const app = Fastify().withTypeProvider<TypeBoxTypeProvider>();
app.post('/v1/memories', { schema: { body: NewMemory, response: { 201: AddedMemory } } }, async (request, reply) => {
  reply.code(201);
  return { ...stored, content: request.body.content };
});
app.get('/v1/memories/:id', { schema: { response: { 200: Memory } } }, async () => stored);
app.post('/v1/search', { schema: { body: SearchRequest, response: { 200: SearchAnswer } } }, async () => found);

await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`bare Fastify is running at http://127.0.0.1:${(app.server.address() as AddressInfo).port}\n`);
