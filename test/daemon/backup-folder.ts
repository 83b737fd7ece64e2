import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { adminCommand } from '../../src/cli/commands/admin.ts';
import { createProcessContext } from '../../src/cli/process-context.ts';
import { runProgram } from '../../src/cli/program.ts';
import { digestOf } from '../helpers/file-digest.ts';

/** Runs `svc admin` in this process. */
export async function runAdmin(dataDir: string, ...words: string[]) {
  const output = { out: '', error: '' };
  const code = await runProgram(['admin', '--data-dir', dataDir, ...words], '0', listener(output), never);
  return { code, ...output, json: <T = Record<string, unknown>>() => JSON.parse(output.out) as T };
}

/** Runs `svc admin` as at a terminal, where a person answers each question with `answer`. */
export async function runAdminAtTerminal(dataDir: string, answer: string, ...words: string[]) {
  const output = { out: '', error: '' };
  const questions: string[] = [];
  const terminal = listener(output);
  const context = createProcessContext(terminal, never);
  const ask = async (question: string) => {
    questions.push(question);
    return answer;
  };
  const atTerminal = {
    ...context,
    terminal: { ...context.terminal, errorIsTty: true },
    input: { ...context.input, isTty: true, ask },
  };
  const program = new Command('svc').addCommand(
    adminCommand(
      terminal,
      () => {},
      async () => atTerminal,
    ),
  );
  const failure = await program
    .parseAsync(['admin', '--data-dir', dataDir, ...words], { from: 'user' })
    .then(() => undefined)
    .catch((error: Error) => error.message);
  return { ...output, questions, failure };
}

const never = () => new Promise<string>(() => {});

function listener(output: { out: string; error: string }) {
  return {
    out(text: string) {
      output.out += text;
    },
    error(text: string) {
      output.error += text;
    },
  };
}

/** Digests of all files in a folder, except those that reading and locking create. */
export async function digestsOf(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile());
  const kept = names.map(({ name }) => name).filter((name) => !/-(wal|shm)$|^daemon\.lock$/.test(name));
  const digests = kept.map(async (name) => [name, await digestOf(join(folder, name))] as const);
  return Object.fromEntries(await Promise.all(digests));
}
