/** Joins lines, or objects as lines, into chunks of about 64 KiB. */
export async function* portions(lines: Iterable<string | object>): AsyncGenerator<Uint8Array> {
  let text = '';
  for (const line of lines) {
    text += typeof line === 'string' ? line : `${JSON.stringify(line)}\n`;
    if (text.length < 65_536) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}
