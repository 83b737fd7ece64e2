import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../contract/errors.ts';
import { parseStorable } from '../contract/storable.ts';
import { parseStorableInSteps } from '../contract/storable-steps.ts';
import { concatInSteps } from '../lib/concat-in-steps.ts';
import { nextSlice, runInSlices } from '../lib/time-slices.ts';

/** Items serialized in one step: about three milliseconds if each is as long as a message can be. */
const PORTION = 4;
/** Shorter answers take less than a millisecond. */
const MAX_SMALL_CHARACTERS = 128 * 1024;
/** What the members of an item besides its text take, and content that is not a text. */
const OTHER_CHARACTERS = 256;
const PARTS_CHARACTERS = 2048;

interface List {
  data: readonly unknown[];
}

type Serialize = (answer: List) => string;

/** Serializes answers with long lists in time slices, portion by portion. */
export function serializeListsInSlices(app: FastifyInstance): void {
  app.addHook('preSerialization', (request, reply, payload, done) => {
    const serialize = serializerOf(reply);
    if (!isLongList(payload) || !serialize) return done(null, payload);
    runInSlices(serializeInSteps(payload, serialize), sliceOwnerOf(request)).then(
      (bytes) => {
        reply.serializer(() => bytes as never);
        done(null, payload);
      },
      (error: Error) => done(error),
    );
  });
}

function isLongList(payload: unknown): payload is List {
  const { data } = (payload ?? {}) as { data?: unknown };
  return Array.isArray(data) && data.length > PORTION && sizeOf(data) > MAX_SMALL_CHARACTERS;
}

/** Estimates how long a list is as JSON. */
function sizeOf(items: readonly { content?: unknown }[]): number {
  let size = 0;
  for (const { content } of items) {
    size += OTHER_CHARACTERS + (typeof content === 'string' ? content.length : PARTS_CHARACTERS);
  }
  return size;
}

function serializerOf(reply: FastifyReply): Serialize | undefined {
  const serialize: unknown = reply.getSerializationFunction(String(reply.statusCode));
  return typeof serialize === 'function' ? (serialize as Serialize) : undefined;
}

/** Serializes the list as often as it has portions, and takes from each text what differs from that of an empty one. */
function* serializeInSteps(list: List, serialize: Serialize): Generator<void, Buffer> {
  const { data } = list;
  const empty = serialize({ ...list, data: [] });
  const head = empty.indexOf('"data":[') + '"data":['.length;
  const tail = empty.length - head;
  const pieces = [Buffer.from(empty.slice(0, head))];
  for (let start = 0; start < data.length; start += PORTION) {
    const text = serialize({ ...list, data: data.slice(start, start + PORTION) });
    pieces.push(Buffer.from((start > 0 ? ',' : '') + text.slice(head, text.length - tail)));
    yield;
  }
  pieces.push(Buffer.from(empty.slice(head)));
  return yield* concatInSteps(pieces);
}

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

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

/** Refuses bodies that are compressed or not in UTF-8, with `unsupported_media_type`. */
export function refuseEncodedBodies(app: FastifyInstance): void {
  app.addHook('preParsing', async ({ method, headers }, reply) => {
    // Of these nothing reads a body.
    if (method === 'GET' || method === 'HEAD') return;
    const { 'content-length': length = '0', 'transfer-encoding': transfer, 'content-encoding': coding } = headers;
    if (length === '0' && transfer === undefined) return;
    if (coding !== undefined && !/^(identity)?$/i.test(coding.trim())) {
      reply.header('Accept-Encoding', 'identity');
      throw new AppError('unsupported_media_type', `Send the body as it is: its Content-Encoding is ${coding}.`);
    }
    const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1];
    if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
      throw new AppError('unsupported_media_type', `Send the body in UTF-8: its charset is ${charset}.`);
    }
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
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalidBody('/', 'must be an object');
  const [name] = Object.keys(body);
  if (name !== undefined)
    throw invalidBody(`/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, 'is not a known field');
}

function invalidBody(path: string, message: string): AppError {
  return new AppError('invalid_request', `${path} ${message}.`, { errors: [{ path, message }] });
}
