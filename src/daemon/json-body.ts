import type { FastifyInstance } from 'fastify';
import { parseStorable } from '../contract/storable.ts';

/**
 * Parses JSON bodies and accepts only what can be stored unchanged: valid UTF-8, no prototype pollution, at most 32
 * levels, no duplicate names, NUL, lone surrogates or numbers that JavaScript cannot represent. Rejects anything else
 * with `invalid_request`, and other media types with `unsupported_media_type`.
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
