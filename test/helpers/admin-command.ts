import { runProgram } from '../../src/cli/program.ts';

/** Runs `svc admin` in this process, until `stopSignal` if it is given. */
export async function runAdmin(
  dataDir: string,
  words: readonly string[],
  stopSignal: Promise<string> = new Promise(() => {}),
) {
  const said = { out: '', error: '' };
  const terminal = {
    out: (text: string) => {
      said.out += text;
    },
    error: (text: string) => {
      said.error += text;
    },
  };
  const code = await runProgram(['admin', '--data-dir', dataDir, ...words], '0', terminal, () => stopSignal);
  return { code, ...said, json: <T>() => JSON.parse(said.out) as T };
}
