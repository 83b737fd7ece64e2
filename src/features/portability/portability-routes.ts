import type { IncomingMessage, ServerResponse } from 'node:http';
import { addAbortSignal, Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { AppError } from '../../contract/errors.ts';
import { ExportQuery, ImportQuery, ImportReport } from '../../contract/portability.ts';
import { IMPORT_MEDIA_TYPES } from '../../contract/portability-operations.ts';
import type { Clock } from '../../lib/clock.ts';
import { keyOf, sendCreated } from '../idempotency/idempotency-routes.ts';
import type { Spaces } from '../spaces/spaces.ts';
import { MIN_BYTES_PER_MS, readBody } from './body-stream.ts';
import type { Portability } from './portability.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route reads its body as a stream and enforces its own timeout. */
    streamsBody?: boolean;
  }
}

const tags = ['portability'];
const EXPORT_HEADERS = { 'content-type': 'application/x-ndjson; charset=utf-8', 'cache-control': 'no-store' };
/** Lets an early response reach a client that is still sending. */
const LINGER_MS = 5000;

export interface PortabilityRoutesParts {
  portability: Portability;
  spaces: Pick<Spaces, 'note'>;
  clock: Clock;
  /** How long a client may read or send nothing before the request is aborted. */
  idleMs: number;
}

export function portabilityRoutes(parts: PortabilityRoutesParts): FastifyPluginAsyncTypebox {
  const { portability } = parts;
  return async (app) => {
    app.get(
      '/v1/export',
      {
        exposeHeadRoute: false,
        schema: {
          summary: 'Export everything in the account as NDJSON',
          tags,
          querystring: ExportQuery,
          response: {
            200: { description: 'NDJSON', content: { 'application/x-ndjson': { schema: Type.String() } } },
          },
        },
      },
      async (request, reply) => {
        await parts.spaces.note(request.principal, 'exported', null);
        const { chunks, aborted } = portability.export(request.principal, request.query);
        const stream: Readable = Readable.from(abortIfStalled(chunks, parts, (error) => stream.destroy(error)));
        addAbortSignal(aborted, stream);
        return reply.headers(EXPORT_HEADERS).send(stream as never);
      },
    );
    // A HEAD route derived by Fastify would run the export.
    app.head('/v1/export', { schema: { hide: true, querystring: ExportQuery } }, async (_request, reply) => {
      return reply.headers(EXPORT_HEADERS).send();
    });
    await app.register(importRoute(parts));
  };
}

function importRoute({ portability, spaces, idleMs, clock }: PortabilityRoutesParts): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser([...IMPORT_MEDIA_TYPES], (_request, _body, done) => done(null));
    app.addContentTypeParser('*', ({ headers }, _body, done) => {
      const message = `Send the file as one of ${IMPORT_MEDIA_TYPES.join(', ')}.`;
      done(headers['content-type'] === undefined ? null : new AppError('unsupported_media_type', message));
    });
    app.post(
      '/v1/import',
      {
        config: { streamsBody: true },
        schema: {
          summary: 'Import an export of svc or a file from another system',
          tags,
          querystring: ImportQuery,
          response: { 200: ImportReport },
        },
      },
      async (request, reply) => {
        drainUnreadBody(request.raw, reply.raw);
        const { stopping } = portability;
        const body = readBody(request.raw, { idleMs, clock, stopping, isCrowded: portability.isCrowded });
        const imported = await portability.import(request.principal, body, request.query, keyOf(request));
        if (!imported.replayed) await spaces.note(request.principal, 'imported', null);
        return sendCreated(reply, imported);
      },
    );
  };
}

/**
 * Aborts a client that reads nothing for `idleMs`, or reads below the slowest accepted rate: its temporary file takes up
 * disk space. Each chunk it reads earns time for the next, up to `idleMs`.
 */
async function* abortIfStalled(
  chunks: AsyncIterable<Buffer>,
  { idleMs, clock }: Pick<PortabilityRoutesParts, 'idleMs' | 'clock'>,
  abort: (error: Error) => void,
): AsyncGenerator<Buffer> {
  let leftMs = idleMs;
  for await (const chunk of chunks) {
    const sinceMs = clock.monotonicMs();
    const timer = setTimeout(() => abort(new Error('the client reads too slowly')), leftMs);
    try {
      yield chunk;
    } finally {
      clearTimeout(timer);
    }
    leftMs = Math.min(idleMs, leftMs - (clock.monotonicMs() - sinceMs) + chunk.length / MIN_BYTES_PER_MS);
  }
}

/** Drains the rest of a body that was answered early, for a while, so that the client gets to read the response. */
function drainUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    if (request.complete) return;
    request.resume();
    const timer = setTimeout(() => request.destroy(), LINGER_MS);
    request.once('close', () => clearTimeout(timer));
  });
}
