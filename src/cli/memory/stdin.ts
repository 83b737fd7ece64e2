import type { CommandInput } from '../command-context.ts';

const LARGEST_BYTES = 1 << 20;

/** All of standard input as text. Reads no further than the daemon would take. */
export async function readStdin({ stream }: CommandInput): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > LARGEST_BYTES) break;
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
