import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Icon } from '../../shell/icon.tsx';
import { type DroppedFile, droppedFiles } from './import-files.ts';

interface DropZoneProps {
  problem?: string | undefined;
  onFiles(files: Promise<readonly DroppedFile[]>): void;
}

/** Takes a file, or a folder of notes, by drop or from the file dialog. */
export function DropZone({ problem, onFiles }: DropZoneProps) {
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
