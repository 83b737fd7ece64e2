import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandFailure, EXIT_INTERRUPTED } from './failure.ts';

interface Streams {
  stdin: NodeJS.ReadStream;
  stderr: NodeJS.WriteStream;
}

/**
 * Prompts for a line without echoing anything, not even its length. Line editing works as usual; Ctrl-C and end of
 * input throw `CommandFailure`.
 */
export async function promptHidden(question: string, { stdin, stderr }: Streams): Promise<string> {
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  stderr.write(question);
  const lines = createInterface({ input: stdin, output: discard, terminal: true, historySize: 0 });
  const canceled = new Promise<never>((_resolve, reject) => {
    lines.once('close', () => reject(new CommandFailure(EXIT_INTERRUPTED, 'Canceled. Nothing was sent or stored.')));
  });
  try {
    return await Promise.race([lines.question(''), canceled]);
  } finally {
    lines.close();
    stderr.write('\n');
  }
}
