import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandFailure, EXIT_INTERRUPTED } from './failure.ts';

interface Streams {
  stdin: NodeJS.ReadStream;
  stderr: NodeJS.WriteStream;
}

/**
 * Asks for a line of which nothing is shown, not even how long it is. Editing works as ever; Ctrl-C and an end of the
 * input are no answer: they throw `CommandFailure`.
 */
export async function promptHidden(question: string, { stdin, stderr }: Streams): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  stderr.write(question);
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 });
  const stopped = new Promise<never>((_resolve, reject) => {
    lines.once('close', () => reject(new CommandFailure(EXIT_INTERRUPTED, 'Stopped. Nothing was sent or kept.')));
  });
  try {
    return await Promise.race([lines.question(''), stopped]);
  } finally {
    lines.close();
    stderr.write('\n');
  }
}
