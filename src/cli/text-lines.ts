/**
 * Splits a byte stream into lines without their terminators, each yielded once it is complete. Only `\n` and
 * `\r\n` end a line: JSON may contain U+2028 and U+2029, at which `readline` would break it. A byte order mark at the
 * start is dropped.
 */
export async function* textLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const pieces = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = pieces.pop() ?? '';
    for (const line of pieces) yield withoutReturn(line);
  }
  rest += decoder.decode();
  if (rest !== '') yield withoutReturn(rest);
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
