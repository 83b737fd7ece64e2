import { render, useStdout } from 'ink';
import { type ReactNode, useEffect, useReducer, useSyncExternalStore } from 'react';
import { CommandFailure, EXIT_INTERRUPTED } from '../failure.ts';
import { profileName } from '../sign-in/profile-choice.ts';
import { isResendCommand, looksLikeEmail, type SignInPrompts, type SignInTarget } from '../sign-in/prompts.ts';
import type { SignInRun } from '../sign-in/sign-in-run.ts';
import { Confirmation } from './confirmation.tsx';
import { Question } from './question.tsx';
import { SignInScreen } from './sign-in-screen.tsx';

export interface ScreenOptions {
  stdin: NodeJS.ReadStream;
  stderr: NodeJS.WriteStream;
  color: boolean;
  monotonicMs: () => number;
}

/** The dialogue on a terminal. It draws on standard error, so that standard output holds results only. */
export function createScreenPrompts({ stdin, stderr, color, monotonicMs }: ScreenOptions): SignInPrompts {
  const show = (node: ReactNode) => showOn({ stdin, stderr }, node);
  const ask = <T,>(draw: DrawQuestion<T>) => askWith(show, draw);
  return {
    askEmail: (remembered) =>
      ask<string>((onAnswer, onCancel) => (
        <Question
          label="E-mail address"
          proposed={remembered}
          example="you@example.com"
          color={color}
          faultOf={(answer) => (looksLikeEmail(answer) ? undefined : 'That is no e-mail address.')}
          onAnswer={onAnswer}
          onCancel={onCancel}
        />
      )),
    askProfile: (proposed, reason) =>
      ask<string>((onAnswer, onCancel) => (
        <Question
          reason={reason}
          label="Name for this one"
          proposed={proposed}
          color={color}
          faultOf={validateProfileName}
          onAnswer={onAnswer}
          onCancel={onCancel}
        />
      )),
    confirm: (question, otherwise) =>
      ask<boolean>((onAnswer, onCancel) => (
        <Confirmation question={question} otherwise={otherwise} onAnswer={onAnswer} onCancel={onCancel} />
      )),
    follow(run, about) {
      return show(<LiveSignInScreen run={run} about={about} color={color} monotonicMs={monotonicMs} />);
    },
  };
}

type DrawQuestion<T> = (answer: (value: T) => void, cancel: () => void) => ReactNode;

/** Draws a question until it is answered, and leaves the screen as it was. */
function askWith<T>(show: (node: ReactNode) => () => void, draw: DrawQuestion<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const finish = (end: () => void) => {
      erase();
      end();
    };
    const cancel = () => finish(() => reject(new CommandFailure(EXIT_INTERRUPTED, 'Stopped. Nobody was signed in.')));
    const erase = show(draw((value) => finish(() => resolve(value)), cancel));
  });
}

/** Draws until the returned function is called, which leaves the screen as it was. */
function showOn({ stdin, stderr }: Pick<ScreenOptions, 'stdin' | 'stderr'>, node: ReactNode): () => void {
  // Before the first drawing: whoever answers what is seen must be heard, Ctrl-C included.
  stdin.setRawMode(true);
  const instance = render(node, { stdin, stdout: stderr, stderr, exitOnCtrlC: false, patchConsole: false });
  return () => {
    // Unmounting draws once more, so there must be nothing to draw; even nothing is drawn as an empty line.
    instance.rerender(null);
    instance.clear();
    instance.unmount();
    setImmediate(() => stopReading(stdin));
  };
}

/**
 * What is typed ahead from now on is for the shell, or for who asks next. A stream that was read by its 'readable' event
 * is paused already as far as it knows, and would go on taking what is typed: hence resumed first. ink leaves it
 * unreferenced, and the process would end under a question that is asked in another way.
 */
function stopReading(stdin: NodeJS.ReadStream): void {
  if (stdin.listenerCount('readable') > 0) return;
  stdin.resume();
  stdin.pause();
  stdin.ref();
}

function validateProfileName(name: string): string | undefined {
  try {
    profileName(name);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

interface LiveSignInScreenProps {
  run: SignInRun;
  about: SignInTarget;
  color: boolean;
  monotonicMs: () => number;
}

const SECOND_MS = 1000;

/** The run's state, redrawn when it changes and once a second for the countdown. */
function LiveSignInScreen({ run, about, color, monotonicMs }: LiveSignInScreenProps) {
  const { phase, notice, deadlineMs } = useSyncExternalStore(run.subscribe, run.state);
  const { stdout } = useStdout();
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(redraw, SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <SignInScreen
      {...about}
      phase={phase}
      notice={notice}
      leftMs={deadlineMs - monotonicMs()}
      columns={stdout.columns}
      color={color}
      onTyped={(text) => {
        if (text !== '') void (isResendCommand(text) ? run.resend() : run.typeCode(text));
      }}
      onCancel={() => run.cancel()}
    />
  );
}
