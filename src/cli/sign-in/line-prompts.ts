import type { CommandInput } from '../command-context.ts';
import { isYes } from '../confirmation.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import type { Output } from '../output.ts';
import { textLines } from '../text-lines.ts';
import { profileName } from './profile-choice.ts';
import {
  INVALID_EMAIL,
  isResendCommand,
  looksLikeEmail,
  SIGN_IN_INSTRUCTIONS,
  type SignInPrompts,
  type SignInTarget,
} from './prompts.ts';
import type { SignInRun } from './sign-in-run.ts';

interface Dependencies {
  input: Pick<CommandInput, 'isTty' | 'stream'>;
  output: Output;
  monotonicMs: () => number;
}

/**
 * Prompts in plain lines on standard error, for pipes, CI, screen readers and simple terminals. Asks nothing if
 * standard input is not a terminal, but still reads a code from it.
 */
export function createLinePrompts({ input, output, monotonicMs }: Dependencies): SignInPrompts {
  const lines = createLines(input.stream);

  async function ask(question: string): Promise<string> {
    output.note(question);
    const line = await lines.take();
    if (line === undefined) throw new CommandFailure(EXIT.failed, 'The input ended before the question was answered.');
    return line.trim();
  }

  return {
    async askEmail(remembered) {
      if (!input.isTty) throw new CommandFailure(EXIT.usage, 'Specify the address: svc login --email you@example.com');
      for (;;) {
        const answer = (await ask(`Email address${remembered ? ` [${remembered}]` : ''}:`)) || (remembered ?? '');
        if (looksLikeEmail(answer)) return answer;
        output.note(INVALID_EMAIL);
      }
    },
    async askProfile(suggested, reason) {
      if (!input.isTty) {
        output.note(`${reason} Saving this sign-in as profile ${suggested}.`);
        return suggested;
      }
      return profileName((await ask(`${reason} Profile name [${suggested}]:`)) || suggested);
    },
    async confirm(question, defaultAnswer) {
      if (!input.isTty) return defaultAnswer;
      const answer = await ask(`${question} [${defaultAnswer ? 'Y/n' : 'y/N'}]`);
      return answer === '' ? defaultAnswer : isYes(answer);
    },
    follow(run, target) {
      introduce(run, target, output, monotonicMs());
      return followInLines(run, lines, output);
    },
  };
}

function followInLines(run: SignInRun, lines: Lines, output: Output): () => void {
  let shown = run.state().notice;
  const unsubscribe = run.subscribe(() => {
    const { notice } = run.state();
    if (notice && notice !== shown) output.note(notice.text);
    shown = notice;
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
  output.note(`${SIGN_IN_INSTRUCTIONS} Press Enter after the code. To get a new link, type r and press Enter.`);
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
  /** Returns the next line without consuming it; `undefined` at the end. */
  peek(): Promise<string | undefined>;
  take(): Promise<string | undefined>;
}

/**
 * Reads lines with one of lookahead, so that no line is lost between prompts. Does not touch the stream until first
 * use.
 */
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
