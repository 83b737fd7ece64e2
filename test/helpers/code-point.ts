import fc from 'fast-check';

const SURROGATES = 0x800;
const FIRST_SURROGATE = 0xd800;

/**
 * Any code point: the same values as fast-check's unit `binary`, which keeps a table of all of them, so that each process
 * pays a second and much memory.
 */
export const codePoint = fc.nat({ max: 0x10ffff - SURROGATES }).map(
  (index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES),
  (text) => {
    const point = typeof text === 'string' ? text.codePointAt(0) : undefined;
    if (point === undefined || text !== String.fromCodePoint(point)) throw new Error('is not one code point');
    if (point < FIRST_SURROGATE) return point;
    if (point < FIRST_SURROGATE + SURROGATES) throw new Error('is a surrogate');
    return point - SURROGATES;
  },
);
