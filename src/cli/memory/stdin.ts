import type { CommandInput } from '../command-context.ts';

const MAX_BYTES = 1 << 20;

/** Reads standard input as text, up to the largest size that the daemon would accept. */
export async function readStdin({ stream }: CommandInput): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_BYTES) break;
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
