import { signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { ApiError, type ImportReport } from '../../../client/client.ts';
import { formatSize } from '../../../contract/byte-size.ts';
import { IMPORT_FORMATS, type ImportFormat } from '../../../contract/import-formats.ts';
import { describeError } from '../../errors.ts';
import { announce } from '../../live.ts';
import { ProgressBar } from '../../parts/progress-bar.tsx';
import { chosenUser } from '../../router.ts';
import { currentSession, endSessionOn } from '../../session.ts';
import { Icon } from '../../shell/icon.tsx';
import { uploadProgress } from '../../upload-fetch.ts';
import {
  type DroppedFile,
  droppedFiles,
  HEAD_BYTES,
  type ImportFile,
  ImportFileError,
  importFileOf,
} from './import-files.ts';
import { detectFormat, FORMAT_TITLES } from './import-format.ts';
import { PreviewCard } from './preview-card.tsx';
import { ReportCard } from './report-card.tsx';

type Step =
  | { kind: 'choosing'; problem?: string }
  | { kind: 'chosen'; file: ImportFile; format: ImportFormat | undefined }
  | { kind: 'sending'; file: ImportFile }
  | { kind: 'done'; file: ImportFile; report: ImportReport | undefined; error: string | undefined };

/** Of the page, not of its view: an import goes on while another view is shown. */
const step = signal<Step>({ kind: 'choosing' });
let abort: AbortController | undefined;

/** Imports a file that is dropped or chosen, after a preview. */
export function ImportSection() {
  const { value } = step;
  const choose = async (files: Promise<readonly DroppedFile[]>) => {
    step.value = await chosenStep(files);
  };
  const send = async (file: ImportFile, format: ImportFormat, options: { user?: string; tags: string[] }) => {
    step.value = { kind: 'sending', file };
    const running = new AbortController();
    abort = running;
    const answer = await importFile(file, format, options, running.signal);
    if (running.signal.aborted) return;
    step.value = { kind: 'done', file, ...answer };
    for (const kind of ['memory', 'conversation', 'episode'] as const) announce(kind);
  };
  const startAgain = () => {
    abort?.abort();
    step.value = { kind: 'choosing' };
  };
  return (
    <>
      <section class="card stack" aria-labelledby="import-title">
        <h2 id="import-title">Import</h2>
        {value.kind === 'choosing' && <DropZone problem={value.problem} onFiles={(files) => void choose(files)} />}
        {value.kind === 'chosen' && (
          <ChosenFile
            key={value.file.name}
            file={value.file}
            format={value.format}
            onImport={(format, options) => void send(value.file, format, options)}
            onCancel={startAgain}
          />
        )}
        {value.kind === 'sending' && <Sending file={value.file} onCancel={startAgain} />}
        {value.kind === 'done' && (
          <ReportCard name={value.file.name} report={value.report} error={value.error} onAgain={startAgain} />
        )}
      </section>
      <p class="hint">
        Nothing is added twice: after an interruption, import the same file again. An export of svc is restored exactly,
        with ids, versions and conversations.
      </p>
    </>
  );
}

async function chosenStep(files: Promise<readonly DroppedFile[]>): Promise<Step> {
  try {
    const file = await importFileOf(await files);
    const head = await file.content.slice(0, HEAD_BYTES).text();
    const detected = detectFormat(file.name, head);
    if ('problem' in detected) return { kind: 'choosing', problem: `${file.name}: ${detected.problem}` };
    return { kind: 'chosen', file, format: detected.format };
  } catch (error) {
    const problem = error instanceof ImportFileError ? error.message : 'The browser could not read the file.';
    return { kind: 'choosing', problem };
  }
}

async function importFile(
  { content }: ImportFile,
  format: ImportFormat,
  options: { user?: string; tags: string[] },
  signal: AbortSignal,
): Promise<{ report: ImportReport | undefined; error: string | undefined }> {
  try {
    const report = await currentSession().client.import(content, { format, ...options, signal });
    return { report, error: undefined };
  } catch (error) {
    endSessionOn(error);
    const report = error instanceof ApiError ? (error.problem.report as ImportReport | undefined) : undefined;
    return { report, error: signal.aborted ? '' : describeError(error) };
  }
}

interface ChosenFileProps {
  file: ImportFile;
  format: ImportFormat | undefined;
  onImport(format: ImportFormat, options: { user?: string; tags: string[] }): void;
  onCancel(): void;
}

/** The file before it is imported: its format, what is in it, and where it goes. */
function ChosenFile({ file, format: detected, onImport, onCancel }: ChosenFileProps) {
  const format = useSignal<ImportFormat | undefined>(detected);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const user = String(data.get('user') ?? '').trim();
    const tags = String(data.get('tags') ?? '')
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '');
    if (format.value) onImport(format.value, { ...(user !== '' && { user }), tags: [...new Set(tags)] });
  };
  return (
    <form class="stack" onSubmit={submit}>
      <p class="bar">
        <strong class="content">{file.name}</strong>
        <span class="hint">{formatSize(file.content.size)}</span>
      </p>
      <div class="fields">
        <div class="field">
          <label for="import-format">Format</label>
          <select
            id="import-format"
            required
            value={format.value ?? ''}
            onChange={(event) => (format.value = (event.currentTarget.value || undefined) as ImportFormat | undefined)}
          >
            <option value="">Choose…</option>
            {IMPORT_FORMATS.map((name) => (
              <option key={name} value={name}>
                {FORMAT_TITLES[name]}
                {name === detected ? ' (detected)' : ''}
              </option>
            ))}
          </select>
        </div>
        <label>
          User, where the file names none
          <input name="user" maxLength={256} placeholder="default" defaultValue={chosenUser.value ?? ''} />
        </label>
        <label>
          Tags for every memory
          <input name="tags" placeholder="imported, …" />
        </label>
      </div>
      {format.value ? (
        <PreviewCard key={format.value} file={file.content} format={format.value} />
      ) : (
        <p class="caution">svc does not recognize the content of this file. Choose its format.</p>
      )}
      <div class="buttons">
        <button type="submit" class="primary">
          Import
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}

function Sending({ file, onCancel }: { file: ImportFile; onCancel: () => void }) {
  const progress = uploadProgress.value;
  const isSent = progress !== undefined && progress.sentBytes >= progress.totalBytes;
  return (
    <>
      <p role="status">{isSent ? `Storing ${file.name}…` : `Sending ${file.name}…`}</p>
      <ProgressBar
        label="Importing"
        done={progress?.sentBytes ?? 0}
        total={isSent ? undefined : progress?.totalBytes}
      />
      <p class="hint">{progress ? `${formatSize(progress.sentBytes)} of ${formatSize(progress.totalBytes)}` : ''}</p>
      <div class="buttons">
        <button type="button" onClick={onCancel}>
          Stop
        </button>
      </div>
    </>
  );
}

interface DropZoneProps {
  problem?: string | undefined;
  onFiles(files: Promise<readonly DroppedFile[]>): void;
}

/** Takes a file, or a folder of notes, by drop or from the file dialog. */
function DropZone({ problem, onFiles }: DropZoneProps) {
  const isOver = useSignal(false);
  const input = useRef<HTMLInputElement>(null);
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    isOver.value = false;
    if (event.dataTransfer) onFiles(droppedFiles(event.dataTransfer));
  };
  const onDragOver = (event: DragEvent) => {
    event.preventDefault();
    isOver.value = true;
  };
  const onChange = () => {
    const files = [...(input.current?.files ?? [])].map((file) => ({ path: file.name, file }));
    if (files.length > 0) onFiles(Promise.resolve(files));
  };
  return (
    <div
      class={`drop-zone${isOver.value ? ' is-over' : ''}`}
      onDragOver={onDragOver}
      onDragLeave={() => (isOver.value = false)}
      onDrop={onDrop}
    >
      <Icon name="upload" size={28} />
      <p>
        <strong>Drop a file here</strong>
      </p>
      <p class="hint">
        An export of svc, ChatGPT, Claude, Mem0 or an MCP memory server, a folder of Markdown notes, or any text with a
        memory per line.
      </p>
      <input
        ref={input}
        class="unseen"
        type="file"
        multiple
        tabIndex={-1}
        aria-label="File to import"
        onChange={onChange}
      />
      <button type="button" class="primary" onClick={() => input.current?.click()}>
        Choose a file
      </button>
      <p class="error" role="alert" hidden={problem === undefined}>
        {problem}
      </p>
    </div>
  );
}
