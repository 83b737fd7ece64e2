/** Values with fewer characters are serialized at once, in a fraction of a millisecond. */
const PIECE_CHARACTERS = 8 * 1024;

/** Yields what `JSON.stringify` returns of a JSON value, piece by piece. */
export function* piecesOfJson(value: unknown): Generator<string, void> {
  if (typeof value !== 'object' || value === null || charactersIn(value, PIECE_CHARACTERS) < PIECE_CHARACTERS) {
    yield JSON.stringify(value ?? null);
  } else if (Array.isArray(value)) {
    yield '[';
    for (const [index, item] of value.entries()) {
      if (index > 0) yield ',';
      yield* piecesOfJson(item);
    }
    yield ']';
  } else {
    let before = '{';
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      yield `${before}${JSON.stringify(name)}:`;
      yield* piecesOfJson(member);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  }
}

/** `JSON.stringify` of a JSON value in steps. */
export function* stringifyInSteps(value: unknown): Generator<void, string> {
  let text = '';
  for (const piece of piecesOfJson(value)) {
    text += piece;
    yield;
  }
  return text;
}

/** Estimates how long a value is as JSON; stops counting at `enough`. */
function charactersIn(value: unknown, enough: number): number {
  if (typeof value === 'string') return value.length + 3;
  if (typeof value !== 'object' || value === null) return 6;
  let characters = 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      characters += charactersIn(item, enough - characters);
      if (characters >= enough) return characters;
    }
    return characters;
  }
  for (const name in value) {
    characters += name.length + 4 + charactersIn((value as Record<string, unknown>)[name], enough - characters);
    if (characters >= enough) return characters;
  }
  return characters;
}
