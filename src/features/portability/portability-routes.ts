import type { IncomingMessage, ServerResponse } from 'node:http';
import { addAbortSignal, Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { problems } from '../../contract/common.ts';
import { AppError } from '../../contract/errors.ts';
import { ExportQuery, ImportQuery, ImportReport } from '../../contract/portability.ts';
import type { Clock } from '../../lib/clock.ts';
import { readBody, SLOWEST_BYTES_PER_MS } from './body-stream.ts';
import type { Portability } from './portability.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route reads its body as a stream and sees itself to a limit of its time. */
    streamsBody?: boolean;
  }
}

const tags = ['portability'];
/** Whatever name a client gives to lines of text. */
const BODY_TYPES = [
  'application/x-ndjson',
  'application/json',
  'text/plain',
  'application/octet-stream',
  'text/markdown',
];
const EXPORT_HEADERS = { 'content-type': 'application/x-ndjson; charset=utf-8', 'cache-control': 'no-store' };
/** For an answer that comes before the body is read to reach a client that still sends. */
const LINGER_MS = 5000;

export interface PortabilityRoutesParts {
  portability: Portability;
  clock: Clock;
  /** How long a client may take nothing, or send nothing, before it is given up. */
  idleMs: number;
}

/** The two routes that stream. */
export function portabilityRoutes(parts: PortabilityRoutesParts): FastifyPluginAsyncTypebox {
  const { portability } = parts;
  return async (app) => {
    app.get(
      '/v1/export',
      {
        exposeHeadRoute: false,
        schema: {
          summary: 'All that is the account’s, as NDJSON',
          description: 'The last line says `end`: without it the file was cut off.',
          tags,
          querystring: ExportQuery,
          response: {
            200: { description: 'NDJSON', content: { 'application/x-ndjson': { schema: Type.String() } } },
            ...problems,
          },
        },
      },
      (request, reply) => {
        const portions = portability.export(request.principal, request.query);
        const stream: Readable = Readable.from(unlessStalled(portions, parts, (error) => stream.destroy(error)));
        addAbortSignal(portability.stopping, stream);
        reply.headers(EXPORT_HEADERS).send(stream as never);
      },
    );
    // A HEAD that Fastify derives would run the export.
    app.head('/v1/export', { schema: { hide: true, querystring: ExportQuery } }, async (_request, reply) => {
      return reply.headers(EXPORT_HEADERS).send();
    });
    await app.register(importRoute(parts));
  };
}

function importRoute({ portability, idleMs, clock }: PortabilityRoutesParts): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(BODY_TYPES, (_request, _body, done) => done(null));
    app.addContentTypeParser('*', ({ headers }, _body, done) => {
      const message = `Send the file as one of ${BODY_TYPES.join(', ')}.`;
      done(headers['content-type'] === undefined ? null : new AppError('unsupported_media_type', message));
    });
    app.post(
      '/v1/import',
      {
        config: { streamsBody: true },
        schema: {
          summary: 'Bring in an export, or another system’s file',
          description: 'The body is the file, of any size. Sent again it adds nothing twice.',
          tags,
          consumes: BODY_TYPES,
          querystring: ImportQuery,
          response: { 200: ImportReport, ...problems },
        },
      },
      (request, reply) => {
        takeRestInTime(request.raw, reply.raw);
        const { stopping } = portability;
        const body = readBody(request.raw, { idleMs, clock, stopping, isCrowded: portability.isCrowded });
        return portability.import(request.principal, body, request.query);
      },
    );
  };
}

/**
 * Gives up a client that takes nothing for so long, or less than a slow line carries: it would hold the write-ahead log
 * open. What it takes at a time gives it time for the next, up to `idleMs`.
 */
async function* unlessStalled(
  portions: AsyncIterable<string>,
  { idleMs, clock }: Pick<PortabilityRoutesParts, 'idleMs' | 'clock'>,
  giveUp: (error: Error) => void,
): AsyncGenerator<string> {
  let leftMs = idleMs;
  for await (const portion of portions) {
    const sinceMs = clock.monotonicMs();
    const timer = setTimeout(() => giveUp(new Error('the client takes too little')), leftMs);
    try {
      yield portion;
    } finally {
      clearTimeout(timer);
    }
    leftMs = Math.min(idleMs, leftMs - (clock.monotonicMs() - sinceMs) + portion.length / SLOWEST_BYTES_PER_MS);
  }
}

/** What was answered before all of it had come is taken off the wire for a while, so that the client reads the answer. */
function takeRestInTime(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    if (request.complete) return;
    request.resume();
    const timer = setTimeout(() => request.destroy(), LINGER_MS);
    request.once('close', () => clearTimeout(timer));
  });
}
