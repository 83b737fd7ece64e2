import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../contract/errors.ts';
import { parseStorable } from '../contract/storable.ts';
import { parseStorableInSteps } from '../contract/storable-steps.ts';
import { nextSlice, runInSlices } from '../lib/time-slices.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route has no schema of its body and checks it itself. */
    checksOwnBody?: boolean;
  }
  interface FastifyRequest {
    hasLongBody: boolean;
  }
}

/** A longer body takes milliseconds to parse and to validate: in slices, and one of them per turn of the event loop. */
const MAX_SMALL_BYTES = 32 * 1024;

/**
 * Parses JSON bodies and accepts only what can be stored unchanged: valid UTF-8, no prototype pollution, at most 32
 * levels, no duplicate names, NUL, lone surrogates or numbers that JavaScript cannot represent. Rejects anything else
 * with `invalid_request`, and other media types with `unsupported_media_type`.
 */
export function addJsonParser(app: FastifyInstance): void {
  app.removeContentTypeParser('text/plain');
  app.decorateRequest('hasLongBody', false);
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request: FastifyRequest, body: Buffer) => {
    request.hasLongBody = body.length > MAX_SMALL_BYTES;
    return parseInSlices(body, sliceOwnerOf(request));
  });
  // The schema is checked by now: the route runs in a separate slice.
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.hasLongBody) void nextSlice(sliceOwnerOf(request)).then(() => done());
    else done();
  });
}

/** Whose time slices a request takes: those of its tenant, or of the address that it comes from. */
export function sliceOwnerOf({ principal, ip }: FastifyRequest): string {
  return principal?.tenantId ?? ip;
}

/** `parseStorable`, in time slices if the body is long. */
export async function parseInSlices(body: Buffer, owner: string): Promise<unknown> {
  if (body.length <= MAX_SMALL_BYTES) return parseStorable(body);
  await nextSlice(owner);
  const parsed = await runInSlices(parseStorableInSteps(body), owner);
  // The schema is checked in the next slice.
  await nextSlice(owner);
  return parsed;
}

/** Refuses fields in the body of requests that need none, in the routes of a scope without a schema of the body. */
export function refuseUnneededBody(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    if (route.schema?.body || route.config?.streamsBody || route.config?.checksOwnBody) return;
    route.preValidation = [route.preValidation ?? [], refuseFields].flat();
  });
}

async function refuseFields({ body }: FastifyRequest): Promise<void> {
  if (body === undefined) return;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalidBody('/', 'must be object');
  const [name] = Object.keys(body);
  if (name !== undefined)
    throw invalidBody(`/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, 'is not a known field');
}

function invalidBody(path: string, message: string): AppError {
  return new AppError('invalid_request', `${path} ${message}.`, { errors: [{ path, message }] });
}
