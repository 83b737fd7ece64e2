import { signal } from '@preact/signals';
import { formatSize } from '../../../contract/byte-size.ts';
import { systemClock, toTimestamp } from '../../../lib/clock.ts';
import { describeError } from '../../errors.ts';
import { formatNumber } from '../../format.ts';
import { ProgressBar } from '../../parts/progress-bar.tsx';
import { chosenUser } from '../../router.ts';
import { currentSession, endSessionOn } from '../../session.ts';
import { currentSpace } from '../../space.ts';
import { hasSeveralUsers } from '../../users.ts';
import { describeCounts } from './transfer-counts.ts';

/** Text is handed to the browser in pieces of this size, which it may keep on disk. */
const PIECE_CHARACTERS = 1_000_000;

type Run =
  | { kind: 'idle' }
  | { kind: 'running'; lines: number; bytes: number }
  | { kind: 'done'; text: string }
  | { kind: 'failed'; text: string };

/** Of the page, not of its view: an export goes on while another view is shown. */
const run = signal<Run>({ kind: 'idle' });
let abort: AbortController | undefined;

/** Downloads everything stored, of one user or of all, as a file that `svc import` and this page read. */
export function ExportSection() {
  const user = chosenUser.value;
  const whole = currentSpace.value ? 'space' : 'account';
  const start = async () => {
    const running = new AbortController();
    abort = running;
    try {
      run.value = { kind: 'running', lines: 0, bytes: 0 };
      run.value = { kind: 'done', text: await download(user, running.signal, (progress) => (run.value = progress)) };
    } catch (error) {
      if (running.signal.aborted) return;
      endSessionOn(error);
      run.value = { kind: 'failed', text: describeError(error) };
    }
  };
  const cancel = () => {
    abort?.abort();
    run.value = { kind: 'idle' };
  };
  const { value } = run;
  return (
    <section class="card stack" aria-labelledby="export-title">
      <h2 id="export-title">Export</h2>
      <p class="hint">
        A file with everything {user === undefined ? `in the ${whole}` : `stored about ${user}`}: memories with all
        versions, conversations, episodes and what the ranking learned. One JSON object per line. Importing it restores
        it exactly.
        {user === undefined && hasSeveralUsers.value && ' Choose a user in the top bar to export only that one.'}
      </p>
      <div class="buttons">
        {value.kind === 'running' ? (
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        ) : (
          <button type="button" class="primary" onClick={() => void start()}>
            {user === undefined ? `Export the ${whole}` : `Export ${user}`}
          </button>
        )}
      </div>
      {value.kind === 'running' && (
        <>
          <ProgressBar label="Exporting" done={0} />
          <p class="hint">
            {formatNumber(value.lines)} lines, {formatSize(value.bytes)}
          </p>
        </>
      )}
      <p role="status" class={value.kind === 'failed' ? 'error' : 'success'}>
        {(value.kind === 'done' || value.kind === 'failed') && value.text}
      </p>
    </section>
  );
}

/** Downloads the export and saves it as a file. Returns a summary. */
async function download(
  user: string | undefined,
  signal: AbortSignal,
  report: (progress: { kind: 'running'; lines: number; bytes: number }) => void,
): Promise<string> {
  const { client, email } = currentSession();
  const pieces: Blob[] = [];
  let piece: string[] = [];
  let length = 0;
  let lines = 0;
  let bytes = 0;
  let summary = '';
  const finishPiece = () => {
    const blob = new Blob(piece);
    pieces.push(blob);
    bytes += blob.size;
    piece = [];
    length = 0;
    report({ kind: 'running', lines, bytes });
  };
  for await (const { text, end } of client.export(user === undefined ? {} : { user }, { signal })) {
    piece.push(text);
    length += text.length;
    lines += 1;
    if (length >= PIECE_CHARACTERS) finishPiece();
    if (end) summary = describeCounts(end);
  }
  finishPiece();
  const day = toTimestamp(systemClock.nowMs()).slice(0, 10);
  const owner = (user ?? currentSpace.peek()?.name ?? email).replace(/[^\w.@-]+/g, '_');
  save(new Blob(pieces, { type: 'application/x-ndjson' }), `svc-${owner}-${day}.ndjson`);
  return `Exported ${summary} (${formatSize(bytes)}).`;
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
