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
import type { Portability } from './portability.ts';

export interface BodyLimits {
  /** Longest wait for the next bytes. */
  idleMs: number;
  /** Aborted when the daemon stops. */
  stopping: AbortSignal;
  /** Whether other requests are waiting for a slot. */
  isCrowded(): boolean;
  clock: Clock;
}

/** The slowest accepted transfer rate: 256 kbit/s. */
const MIN_BYTES_PER_MS = 32;

/**
 * Yields the bytes of a request with backpressure. Leaves the stream open when the consumer stops early, so that the
 * request can still be answered. Throws `invalid_request` if no bytes arrive for `idleMs`, and `unavailable` if the
 * daemon stops, or if others are waiting and the bytes arrive below the slowest accepted rate: otherwise a few slow
 * clients could hold every slot.
 */
export async function* readBody(body: Readable, limits: BodyLimits): AsyncGenerator<Uint8Array> {
  const chunks = body.iterator({ destroyOnReturn: false }) as AsyncGenerator<Uint8Array>;
  let leftMs = limits.idleMs;
  try {
    for (;;) {
      const sinceMs = limits.clock.monotonicMs();
      const { value, done } = await nextChunk(chunks.next(), limits);
      if (done) return;
      const waitedMs = limits.clock.monotonicMs() - sinceMs;
      leftMs = Math.min(limits.idleMs, leftMs - waitedMs + value.length / MIN_BYTES_PER_MS);
      if (leftMs < 0 && limits.isCrowded()) throw tooSlow();
      yield value;
    }
  } finally {
    // Releases the stream. Not awaited: it may itself be waiting for bytes that never arrive.
    chunks.return(undefined).catch(() => {});
  }
}

function tooSlow(): AppError {
  const message = 'The file arrives too slowly while other imports are waiting. Try again in a moment.';
  return new AppError('unavailable', message, { retryAfterSeconds: 5 });
}

function nextChunk<T>(next: Promise<T>, { idleMs, stopping }: Pick<BodyLimits, 'idleMs' | 'stopping'>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timedOut = () => reject(new AppError('invalid_request', 'The request took too long to arrive.'));
    const stopped = () => {
      reject(new AppError('unavailable', 'The daemon is stopping.', { retryAfterSeconds: 5 }));
    };
    const timer = setTimeout(timedOut, idleMs);
    stopping.addEventListener('abort', stopped);
    if (stopping.aborted) stopped();
    next
      .then(resolve, (cause) => {
        reject(new AppError('invalid_request', 'The connection closed before the body was complete.', { cause }));
      })
      .finally(() => {
        clearTimeout(timer);
        stopping.removeEventListener('abort', stopped);
      });
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route reads its body as a stream and enforces its own timeout. */
    streamsBody?: boolean;
  }
}

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
          querystring: ExportQuery,
          response: { 200: { description: 'NDJSON', content: { 'application/x-ndjson': { schema: Type.String() } } } },
        },
      },
      async (request, reply) => {
        const { principal, query } = request;
        const note = () => parts.spaces.note(principal, 'exported', null);
        const { chunks, aborted } = portability.export(principal, query, note);
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
      { config: { streamsBody: true }, schema: { querystring: ImportQuery, response: { 200: ImportReport } } },
      async (request, reply) => {
        drainUnreadBody(request.raw, reply.raw);
        const { principal, query } = request;
        const { stopping } = portability;
        const isCrowded = () => portability.isAwaited(principal.tenantId);
        const body = readBody(request.raw, { idleMs, clock, stopping, isCrowded });
        const note = () => spaces.note(principal, 'imported', null);
        const imported = await portability.import(principal, body, query, keyOf(request)).catch(async (error) => {
          if (hasStored(error)) await note();
          throw error;
        });
        if (!imported.replayed) await note();
        return sendCreated(reply, imported);
      },
    );
  };
}

/** Whether an import had stored something before an error ended it. */
function hasStored(error: unknown): boolean {
  const { report } = (error instanceof AppError ? error.options.extra : undefined) ?? {};
  return report !== undefined && Object.values((report as ImportReport).added).some((count) => count > 0);
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
