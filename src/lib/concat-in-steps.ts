/** `Buffer.concat` in steps, one per piece: a megabyte takes milliseconds where memory is slow to get. */
export function* concatInSteps(pieces: readonly Uint8Array[]): Generator<void, Buffer> {
  const whole = Buffer.allocUnsafe(pieces.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const piece of pieces) {
    whole.set(piece, end);
    end += piece.length;
    yield;
  }
  return whole;
}
