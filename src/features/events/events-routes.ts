import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Events } from './events.ts';

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Keeps nginx from buffering.
  'x-accel-buffering': 'no',
};
/** For a client to receive the end of a stream that has to end; one that reads nothing is cut off then. */
const LINGER_MS = 1000;

export function eventsRoutes({ events }: { events: Events }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/v1/events',
      {
        exposeHeadRoute: false,
        schema: {
          response: {
            200: { description: 'Server-sent events', content: { 'text/event-stream': { schema: Type.String() } } },
          },
        },
      },
      (request, reply) => {
        // Who hung up meanwhile closes nothing any more.
        if (request.socket.destroyed) return void reply.hijack();
        const lastEventId = request.headers['last-event-id'];
        const { chunks, ended, close } = events.open(request.principal, lastEventId?.toString());
        const stream = Readable.from(chunks, { objectMode: false, highWaterMark: 16_384 });
        ended.addEventListener('abort', () => setTimeout(() => stream.destroy(), LINGER_MS).unref(), { once: true });
        // Frees the slot of a client that hangs up, also if it never read, or waits for the answer to another request.
        const free = () => {
          request.socket.off('close', free);
          close();
        };
        for (const end of [reply.raw, stream, request.socket]) end.once('close', free);
        reply.headers(HEADERS).send(stream as never);
      },
    );
    // A HEAD route derived by Fastify would open a stream.
    app.head('/v1/events', { schema: { hide: true } }, async (_request, reply) => reply.headers(HEADERS).send());
  };
}
