import type { CommandInput } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import type { Output } from '../output.ts';
import { textLines } from '../text-lines.ts';
import { profileName } from './profile-choice.ts';
import { isResendCommand, looksLikeEmail, type SignInPrompts, type SignInTarget } from './prompts.ts';
import type { SignInRun } from './sign-in-run.ts';

interface Dependencies {
  input: Pick<CommandInput, 'isTty' | 'stream'>;
  output: Output;
  monotonicMs: () => number;
}

/**
 * A dialogue in plain lines on standard error: for pipes, continuous integration, screen readers and simple terminals.
 * Where standard input is no terminal nothing is asked; a code may come as a line of it.
 */
export function createLinePrompts({ input, output, monotonicMs }: Dependencies): SignInPrompts {
  const lines = createLines(input.stream);

  async function ask(question: string): Promise<string> {
    output.note(question);
    const line = await lines.take();
    if (line === undefined) throw new CommandFailure(EXIT.failed, 'The input ended before an answer came.');
    return line.trim();
  }

  return {
    async askEmail(remembered) {
      if (!input.isTty) throw new CommandFailure(EXIT.usage, 'Name the address: svc login --email you@example.com');
      for (;;) {
        const answer = (await ask(`E-mail address${remembered ? ` [${remembered}]` : ''}:`)) || (remembered ?? '');
        if (looksLikeEmail(answer)) return answer;
        output.note('That is no e-mail address.');
      }
    },
    async askProfile(proposed, reason) {
      if (!input.isTty) {
        output.note(`${reason} This sign-in is kept as profile ${proposed}.`);
        return proposed;
      }
      return profileName((await ask(`${reason} Name for this one [${proposed}]:`)) || proposed);
    },
    async confirm(question, otherwise) {
      if (!input.isTty) return otherwise;
      const answer = await ask(`${question} [${otherwise ? 'Y/n' : 'y/N'}]`);
      return answer === '' ? otherwise : /^y(es)?$/i.test(answer);
    },
    follow(run, about) {
      introduce(run, about, output, monotonicMs());
      return followInLines(run, lines, output);
    },
  };
}

function followInLines(run: SignInRun, lines: Lines, output: Output): () => void {
  let told = run.state().notice;
  const unsubscribe = run.subscribe(() => {
    const { notice } = run.state();
    if (notice && notice !== told) output.note(notice.text);
    told = notice;
  });
  const stopped = new AbortController();
  void readCodes(run, lines, stopped.signal);
  return () => {
    stopped.abort();
    unsubscribe();
  };
}

function introduce(run: SignInRun, { email, url }: SignInTarget, output: Output, nowMs: number): void {
  const minutes = Math.round((run.state().deadlineMs - nowMs) / 60_000);
  output.note(`A sign-in link for ${url} is on its way to ${email}. It works for ${minutes} minutes.`);
  output.note(
    'Open it, here or on your phone, and press “Sign in”. On this computer the terminal then goes on by itself; otherwise type the code that the page shows, and Enter. r and Enter sends another link.',
  );
}

async function readCodes(run: SignInRun, lines: Lines, stopped: AbortSignal): Promise<void> {
  for (;;) {
    const line = await lines.peek();
    if (stopped.aborted || line === undefined) return;
    await lines.take();
    if (line.trim() !== '') await (isResendCommand(line) ? run.resend() : run.typeCode(line));
  }
}

interface Lines {
  /** The next line, left for who asks next; `undefined` at the end. */
  peek(): Promise<string | undefined>;
  take(): Promise<string | undefined>;
}

/** A line that nobody waits for any more must not be lost to the next question. The stream is not touched before. */
function createLines(stream: AsyncIterable<Uint8Array>): Lines {
  let lines: AsyncGenerator<string> | undefined;
  let next: Promise<string | undefined> | undefined;
  function peek(): Promise<string | undefined> {
    lines ??= textLines(stream);
    next ??= lines.next().then(({ value, done }) => (done ? undefined : value));
    return next;
  }
  return {
    peek,
    async take() {
      const line = await peek();
      if (line !== undefined) next = undefined;
      return line;
    },
  };
}
