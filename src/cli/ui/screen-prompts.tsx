import { Box, render, Text, useInput, useStdout } from 'ink';
import { type ReactNode, useEffect, useReducer, useState, useSyncExternalStore } from 'react';
import { CommandFailure, EXIT_INTERRUPTED } from '../failure.ts';
import { wrap } from '../memory/terminal-text.ts';
import { formatCountdown } from '../number-format.ts';
import { profileName } from '../sign-in/profile-choice.ts';
import {
  INVALID_EMAIL,
  isResendCommand,
  looksLikeEmail,
  SIGN_IN_INSTRUCTIONS,
  type SignInPrompts,
  type SignInTarget,
} from '../sign-in/prompts.ts';
import type { SignInRun } from '../sign-in/sign-in-run.ts';
import { ColoredText } from './colored-text.tsx';
import { TextField } from './text-field.tsx';

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

export interface ConfirmationProps {
  question: string;
  /** The answer that Enter gives. */
  defaultAnswer: boolean;
  onAnswer(yes: boolean): void;
  onCancel(): void;
}

/** A yes-or-no question answered with one key. */
export function Confirmation({ question, defaultAnswer, onAnswer, onCancel }: ConfirmationProps) {
  useInput((input, key) => {
    if (key.ctrl && input === 'c') onCancel();
    else if (key.return) onAnswer(defaultAnswer);
    else if (/^[yn]$/i.test(input)) onAnswer(/y/i.test(input));
  });
  return (
    <Text>
      {question} <Text bold>{defaultAnswer ? '[Y/n]' : '[y/N]'}</Text>
    </Text>
  );
}

export interface QuestionProps {
  /** Why the question is asked; shown above it. */
  reason?: string;
  label: string;
  /** The answer that an empty line gives. */
  defaultAnswer?: string | undefined;
  example?: string;
  color: boolean;
  /** Returns what is wrong with an answer, or `undefined` if it is valid. */
  validate(answer: string): string | undefined;
  onAnswer(answer: string): void;
  onCancel(): void;
}

/** Asks for one line of input until it is valid. */
export function Question(props: QuestionProps) {
  const { reason, label, defaultAnswer, example, color, validate, onAnswer, onCancel } = props;
  const [error, setError] = useState<string>();
  function submit(text: string): void {
    const answer = text || (defaultAnswer ?? '');
    const problem = validate(answer);
    if (problem === undefined) onAnswer(answer);
    else setError(problem);
  }
  return (
    <Box flexDirection="column">
      {reason === undefined ? null : <Text>{reason}</Text>}
      <TextField
        label={label}
        placeholder={defaultAnswer === undefined ? (example ?? '') : `${defaultAnswer} (press Enter to accept)`}
        color={color}
        onSubmit={submit}
        onCancel={onCancel}
      />
      {error === undefined ? null : (
        <ColoredText tone="bad" color={color}>
          ✗ {error}
        </ColoredText>
      )}
    </Box>
  );
}

export interface SignInScreenProps {
  email: string;
  url: string;
  phase: 'sending' | 'waiting' | 'checking' | 'over';
  notice?: { tone: 'good' | 'bad'; text: string } | undefined;
  /** Time until the link expires. */
  leftMs: number;
  columns: number;
  color: boolean;
  onTyped(text: string): void;
  onCancel(): void;
}

/** Waits for the code: either the browser on this computer sends it, or it is typed here. */
export function SignInScreen(props: SignInScreenProps) {
  const { email, url, phase, notice, leftMs, columns, color, onTyped, onCancel } = props;
  return (
    <Box flexDirection="column" width={columns}>
      <Text>
        A sign-in link is on its way to <Text bold={color}>{email}</Text>
      </Text>
      <Text dimColor={color}>for {url}</Text>
      <Box marginTop={1}>
        <Text>{wrap(SIGN_IN_INSTRUCTIONS, columns).join('\n')}</Text>
      </Box>
      <Box marginY={1} flexDirection="column">
        <TextField label="Code" placeholder="XXXX-XXXX" color={color} onSubmit={onTyped} onCancel={onCancel} />
        {notice === undefined ? null : (
          <ColoredText tone={notice.tone} color={color}>
            {wrap(`${notice.tone === 'good' ? '✓' : '✗'} ${notice.text}`, columns).join('\n')}
          </ColoredText>
        )}
      </Box>
      <Text>{statusLine(phase, leftMs)}</Text>
      <Text dimColor={color}>r Enter: new link · Ctrl-C: cancel</Text>
    </Box>
  );
}

function statusLine(phase: SignInScreenProps['phase'], leftMs: number): string {
  if (phase === 'sending') return 'Requesting a link …';
  if (phase === 'checking') return 'Checking the code …';
  if (phase === 'over') return 'Request a new link to continue.';
  if (leftMs > 0) return `Waiting. The link expires in ${formatCountdown(leftMs)}.`;
  return 'The link has expired; a code already shown on the page may still work.';
}
