import { render, useStdout } from 'ink';
import { type ReactNode, useEffect, useReducer, useSyncExternalStore } from 'react';
import { CommandFailure, EXIT_INTERRUPTED } from '../failure.ts';
import { profileName } from '../sign-in/profile-choice.ts';
import {
  INVALID_EMAIL,
  isResendCommand,
  looksLikeEmail,
  type SignInPrompts,
  type SignInTarget,
} from '../sign-in/prompts.ts';
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

/** Prompts on a terminal. Renders to standard error, so that standard output contains only results. */
export function createScreenPrompts({ stdin, stderr, color, monotonicMs }: ScreenOptions): SignInPrompts {
  const show = (node: ReactNode) => showOn({ stdin, stderr }, node);
  const ask = <T,>(build: RenderQuestion<T>) => askWith(show, build);
  return {
    askEmail: (remembered) =>
      ask<string>((onAnswer, onCancel) => (
        <Question
          label="Email address"
          defaultAnswer={remembered}
          example="you@example.com"
          color={color}
          validate={(answer) => (looksLikeEmail(answer) ? undefined : INVALID_EMAIL)}
          onAnswer={onAnswer}
          onCancel={onCancel}
        />
      )),
    askProfile: (suggested, reason) =>
      ask<string>((onAnswer, onCancel) => (
        <Question
          reason={reason}
          label="Profile name"
          defaultAnswer={suggested}
          color={color}
          validate={validateProfileName}
          onAnswer={onAnswer}
          onCancel={onCancel}
        />
      )),
    confirm: (question, defaultAnswer) =>
      ask<boolean>((onAnswer, onCancel) => (
        <Confirmation question={question} defaultAnswer={defaultAnswer} onAnswer={onAnswer} onCancel={onCancel} />
      )),
    follow(run, target) {
      return show(<LiveSignInScreen run={run} target={target} color={color} monotonicMs={monotonicMs} />);
    },
  };
}

type RenderQuestion<T> = (answer: (value: T) => void, cancel: () => void) => ReactNode;

/** Shows a question until it is answered, then clears it from the screen. */
function askWith<T>(show: (node: ReactNode) => () => void, build: RenderQuestion<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const finish = (end: () => void) => {
      erase();
      end();
    };
    const cancel = () => finish(() => reject(new CommandFailure(EXIT_INTERRUPTED, 'Canceled. Nobody was signed in.')));
    const erase = show(build((value) => finish(() => resolve(value)), cancel));
  });
}

/** Renders until the returned function is called, which clears the output from the screen. */
function showOn({ stdin, stderr }: Pick<ScreenOptions, 'stdin' | 'stderr'>, node: ReactNode): () => void {
  // Before the first render, so that no key pressed in response to it is missed, Ctrl-C included.
  stdin.setRawMode(true);
  const instance = render(node, { stdin, stdout: stderr, stderr, exitOnCtrlC: false, patchConsole: false });
  return () => {
    // Unmounting renders once more, so render nothing, and clear the empty line that this leaves.
    instance.rerender(null);
    instance.clear();
    instance.unmount();
    setImmediate(() => stopReading(stdin));
  };
}

/**
 * Leaves further input to the shell or to the next prompt. A stream read through its 'readable' event considers itself
 * paused already and would keep consuming input, so it is resumed first. ink unrefs the stream, which would let the
 * process exit during a prompt that does not use ink.
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
  target: SignInTarget;
  color: boolean;
  monotonicMs: () => number;
}

const SECOND_MS = 1000;

/** Shows the run's state; rerenders when it changes, and once a second for the countdown. */
function LiveSignInScreen({ run, target, color, monotonicMs }: LiveSignInScreenProps) {
  const { phase, notice, deadlineMs } = useSyncExternalStore(run.subscribe, run.state);
  const { stdout } = useStdout();
  const [, rerender] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(rerender, SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <SignInScreen
      {...target}
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
