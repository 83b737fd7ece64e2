import { render } from 'ink';
import { type ChecklistRow, McpChecklist } from './mcp-checklist.tsx';

export interface ChecklistScreen {
  stdin: NodeJS.ReadStream;
  stderr: NodeJS.WriteStream;
  color: boolean;
}

/** Shows the checklist on standard error and resolves to the selected ids, or to `undefined` if the user cancels. */
export function promptChecklist(
  question: string,
  rows: readonly ChecklistRow[],
  { stdin, stderr, color }: ChecklistScreen,
): Promise<string[] | undefined> {
  return new Promise((resolve) => {
    const end = (ids: string[] | undefined) => {
      instance.rerender(null);
      instance.unmount();
      resolve(ids);
    };
    const instance = render(
      <McpChecklist question={question} rows={rows} color={color} onApply={end} onCancel={() => end(undefined)} />,
      { stdin, stdout: stderr, stderr, exitOnCtrlC: false, patchConsole: false },
    );
  });
}
