import { render } from 'ink-testing-library';
import { createElement } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { editLine, type Line } from '../../src/cli/ui/line-edit.ts';
import { Confirmation, Question, SignInScreen, type SignInScreenProps } from '../../src/cli/ui/screen-prompts.tsx';
import { drawn } from './ink-turns.ts';

const PROPS: SignInScreenProps = {
  email: 'ana@example.com',
  url: 'http://127.0.0.1:8787',
  phase: 'waiting',
  leftMs: 872_000,
  columns: 80,
  color: false,
  onTyped: () => {},
  onCancel: () => {},
};
const draw = (props: Partial<SignInScreenProps>) => render(createElement(SignInScreen, { ...PROPS, ...props }));

describe('the sign-in screen', () => {
  test('shows the account, the daemon, the time left and how to cancel', () => {
    const frame = draw({}).lastFrame();
    expect(frame).toContain('on its way to ana@example.com');
    expect(frame).toContain('for http://127.0.0.1:8787');
    expect(frame).toContain('The link expires in 14:32');
    expect(frame).toContain('Ctrl-C');
  });

  test('shows each phase, and when the link has expired', () => {
    expect(draw({ phase: 'sending' }).lastFrame()).toContain('Requesting a link');
    expect(draw({ phase: 'checking' }).lastFrame()).toContain('Checking the code');
    expect(draw({ phase: 'over' }).lastFrame()).toContain('Request a new link to continue');
    expect(draw({ leftMs: -1 }).lastFrame()).toContain('The link has expired');
  });

  test.each([40, 60, 80, 120])('fits into %i columns', (columns) => {
    const notice = {
      tone: 'bad' as const,
      text: 'This sign-in is over: five wrong codes, or it has expired. Enter r.',
    };
    for (const text of draw({ columns, notice }).lastFrame()!.split('\n'))
      expect(text.length).toBeLessThanOrEqual(columns);
  });

  test('submits typed and pasted lines, however fast they arrive', async () => {
    const onTyped = vi.fn();
    const { stdin } = draw({ onTyped });
    await drawn();
    for (const key of ['7', 'k', 'q', '\r', 'r', '\r']) stdin.write(key);
    stdin.write('7KQ2-M9XD\n');
    await drawn();
    expect(onTyped.mock.calls.map(([text]) => text)).toEqual(['7kq', 'r', '7KQ2-M9XD']);
  });

  test('Ctrl-C cancels', async () => {
    const onCancel = vi.fn();
    const { stdin } = draw({ onCancel });
    await drawn();
    stdin.write('\u0003');
    await drawn();
    expect(onCancel).toHaveBeenCalledOnce();
  });
});

describe('a prompt', () => {
  const ask = (defaultAnswer?: string) => {
    const onAnswer = vi.fn();
    const validate = (answer: string) => (answer.includes('@') ? undefined : 'That is not an email address.');
    const props = { label: 'Email address', defaultAnswer, color: false, validate, onAnswer, onCancel: () => {} };
    return { onAnswer, ...render(createElement(Question, props)) };
  };

  test('repeats until the answer is valid', async () => {
    const { stdin, onAnswer, lastFrame } = ask();
    await drawn();
    stdin.write('ana\r');
    await drawn();
    expect(lastFrame()).toContain('That is not an email address');
    stdin.write('ana@example.com\r');
    await drawn();
    expect(onAnswer.mock.calls).toEqual([['ana@example.com']]);
  });

  test('uses the default for an empty answer', async () => {
    const { stdin, onAnswer, lastFrame } = ask('ana@example.com');
    await drawn();
    expect(lastFrame()).toContain('ana@example.com (press Enter to accept)');
    stdin.write('\r');
    await drawn();
    expect(onAnswer.mock.calls).toEqual([['ana@example.com']]);
  });

  test.each([
    ['\r', true],
    ['y', true],
    ['N', false],
  ])('for yes or no is answered by %j', async (key, expected) => {
    const onAnswer = vi.fn();
    const props = { question: 'Really?', defaultAnswer: true, onAnswer, onCancel: () => {} };
    const { stdin } = render(createElement(Confirmation, props));
    await drawn();
    stdin.write(key);
    await drawn();
    expect(onAnswer.mock.calls).toEqual([[expected]]);
  });
});

test('a line is edited with the usual terminal keys', () => {
  const at = (text: string, cursor = text.length): Line => ({ text, cursor });
  expect(editLine(at('ab'), 'c', {})).toEqual(at('abc'));
  expect(editLine(at('ab', 1), 'x', {})).toEqual(at('axb', 2));
  expect(editLine(at('ab', 1), '', { delete: true })).toEqual(at('b', 0));
  expect(editLine(at('ab', 0), '', { backspace: true })).toEqual(at('ab', 0));
  expect(editLine(at('ab'), '', { leftArrow: true })).toEqual(at('ab', 1));
  expect(editLine(at('ab'), '', { rightArrow: true })).toEqual(at('ab'));
  expect(editLine(at('ab cd'), 'w', { ctrl: true })).toEqual(at('ab '));
  expect(editLine(at('ab', 1), 'u', { ctrl: true })).toEqual(at('b', 0));
  expect(editLine(at('ab'), 'a', { ctrl: true })).toEqual(at('ab', 0));
  expect(editLine(at('ab', 0), 'e', { ctrl: true })).toEqual(at('ab'));
  expect(editLine(at('ab'), 'x', { ctrl: true })).toEqual(at('ab'));
});
