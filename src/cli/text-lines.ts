/**
 * The lines of a byte stream, without their ends (`\n` or `\r\n`), each as soon as it is whole; a last line without an
 * end is a line. Only these two end a line: JSON text may hold U+2028 and U+2029, at which `readline` would break it.
 * A byte order mark at the start is dropped.
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
