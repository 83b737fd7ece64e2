import type { FastifyInstance } from 'fastify';
import { parseStorable } from '../contract/storable.ts';

/**
 * JSON bodies as they may be stored: sound UTF-8, no prototype tricks, no deeper than 32, and nothing that would come
 * back changed (a name twice in one object, NUL, lone surrogates, numbers that JavaScript cannot hold). Anything else
 * is `invalid_request`, and what is not JSON `unsupported_media_type`.
 */
export function addJsonParser(app: FastifyInstance): void {
  app.removeContentTypeParser('text/plain');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseStorable(body as Buffer));
    } catch (error) {
      done(error as Error, undefined);
    }
  });
}
