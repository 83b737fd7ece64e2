import { render } from 'ink-testing-library';
import { createElement } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { Confirmation } from '../../src/cli/ui/confirmation.tsx';
import { editLine, type Line } from '../../src/cli/ui/line-edit.ts';
import { Question } from '../../src/cli/ui/question.tsx';
import { SignInScreen, type SignInScreenProps } from '../../src/cli/ui/sign-in-screen.tsx';

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
const seen = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('the sign-in screen', () => {
  test('tells who, where, what to do and how long', () => {
    const frame = draw({}).lastFrame();
    expect(frame).toContain('on its way to ana@example.com');
    expect(frame).toContain('for http://127.0.0.1:8787');
    expect(frame).toContain('The link works for 14:32 more');
    expect(frame).toContain('Ctrl-C');
  });

  test('says what goes on in each phase, and when the time is up', () => {
    expect(draw({ phase: 'sending' }).lastFrame()).toContain('Asking for a link');
    expect(draw({ phase: 'checking' }).lastFrame()).toContain('Checking the code');
    expect(draw({ phase: 'over' }).lastFrame()).toContain('Another link starts again');
    expect(draw({ leftMs: -1 }).lastFrame()).toContain('The link has expired');
  });

  test.each([40, 60, 80, 120])('is no wider than %i columns', (columns) => {
    const notice = {
      tone: 'bad' as const,
      text: 'This sign-in is over: five wrong codes, or it has expired. Enter r.',
    };
    for (const text of draw({ columns, notice }).lastFrame()!.split('\n'))
      expect(text.length).toBeLessThanOrEqual(columns);
  });

  test('gives on what is typed, however fast or pasted with its line end', async () => {
    const onTyped = vi.fn();
    const { stdin } = draw({ onTyped });
    await seen();
    for (const key of ['7', 'k', 'q', '\r', 'r', '\r']) stdin.write(key);
    stdin.write('7KQ2-M9XD\n');
    await seen();
    expect(onTyped.mock.calls.map(([text]) => text)).toEqual(['7kq', 'r', '7KQ2-M9XD']);
  });

  test('Ctrl-C cancels', async () => {
    const onCancel = vi.fn();
    const { stdin } = draw({ onCancel });
    await seen();
    stdin.write('\u0003');
    await seen();
    expect(onCancel).toHaveBeenCalledOnce();
  });
});

describe('a question', () => {
  const ask = (proposed?: string) => {
    const onAnswer = vi.fn();
    const faultOf = (answer: string) => (answer.includes('@') ? undefined : 'That is no e-mail address.');
    const props = { label: 'E-mail address', proposed, color: false, faultOf, onAnswer, onCancel: () => {} };
    return { onAnswer, ...render(createElement(Question, props)) };
  };

  test('is asked until the answer is a good one', async () => {
    const { stdin, onAnswer, lastFrame } = ask();
    await seen();
    stdin.write('ana\r');
    await seen();
    expect(lastFrame()).toContain('That is no e-mail address');
    stdin.write('ana@example.com\r');
    await seen();
    expect(onAnswer.mock.calls).toEqual([['ana@example.com']]);
  });

  test('takes what is proposed for an empty answer', async () => {
    const { stdin, onAnswer, lastFrame } = ask('ana@example.com');
    await seen();
    expect(lastFrame()).toContain('ana@example.com (Enter takes it)');
    stdin.write('\r');
    await seen();
    expect(onAnswer.mock.calls).toEqual([['ana@example.com']]);
  });

  test.each([
    ['\r', true],
    ['y', true],
    ['N', false],
  ])('of yes or no is answered by %j', async (key, expected) => {
    const onAnswer = vi.fn();
    const props = { question: 'Really?', otherwise: true, onAnswer, onCancel: () => {} };
    const { stdin } = render(createElement(Confirmation, props));
    await seen();
    stdin.write(key);
    await seen();
    expect(onAnswer.mock.calls).toEqual([[expected]]);
  });
});

test('a line is edited as terminals do', () => {
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
