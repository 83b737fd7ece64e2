import type { FastifyInstance, FastifyReply } from 'fastify';
import { concatInSteps } from '../lib/concat-in-steps.ts';
import { runInSlices } from '../lib/time-slices.ts';
import { sliceOwnerOf } from './json-body.ts';

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
