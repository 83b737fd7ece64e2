import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { formatSize } from '../../../contract/byte-size.ts';
import type { ImportFormat } from '../../../contract/import-formats.ts';
import { systemClock } from '../../../lib/clock.ts';
import { formatCount } from '../../format.ts';
import { type FilePreview, previewReader } from './import-preview.ts';

interface Read {
  preview: FilePreview;
  bytes: number;
  isDone: boolean;
}

const PLURALS: Record<string, string> = { memory: 'memories', entity: 'entities' };

/** Counts what is in a file, and shows its first items. Reads the file piece by piece, so that the page stays responsive. */
export function PreviewCard({ file, format }: { file: Blob; format: ImportFormat }) {
  const read = useSignal<Read | undefined>(undefined);
  useEffect(() => {
    let isWanted = true;
    void readFile(file, format, (now) => {
      if (isWanted) read.value = now;
      return isWanted;
    });
    return () => {
      isWanted = false;
    };
  }, [file, format]);
  const { value } = read;
  if (!value) return <p class="hint">Reading…</p>;
  const { counts, items } = value.preview;
  return (
    <div class="import-preview">
      <p role="status">
        {describe(counts) || (value.isDone ? 'Nothing countable in this format' : 'Reading')}
        {!value.isDone && <span class="hint"> · {formatSize(value.bytes)} read…</span>}
      </p>
      {items.length > 0 && (
        <ul>
          {items.map(({ kind, text }, index) => (
            <li key={index}>
              <span class="chip">{kind}</span>
              <span class="row-text">{text}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function describe(counts: FilePreview['counts']): string {
  return [...counts].map(([kind, count]) => formatCount(count, kind, PLURALS[kind] ?? `${kind}s`)).join(', ');
}

/** Longest time for which reading holds the page. */
const SLICE_MS = 12;
const PIECE_BYTES = 64 * 1024;

/** Reads the file and reports from time to time, until `report` returns false. */
async function readFile(file: Blob, format: ImportFormat, report: (read: Read) => boolean): Promise<void> {
  const { preview, splitter } = previewReader(format);
  const decoder = new TextDecoder();
  let sliceStartMs = systemClock.monotonicMs();
  let bytes = 0;
  for await (const piece of piecesOf(file)) {
    bytes += piece.length;
    splitter.write(decoder.decode(piece, { stream: true }));
    if (systemClock.monotonicMs() - sliceStartMs < SLICE_MS) continue;
    if (!report({ preview, bytes, isDone: false })) return;
    await new Promise((resolve) => setTimeout(resolve));
    sliceStartMs = systemClock.monotonicMs();
  }
  splitter.end();
  report({ preview, bytes, isDone: true });
}

async function* piecesOf(file: Blob): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      for (let at = 0; at < value.length; at += PIECE_BYTES) yield value.subarray(at, at + PIECE_BYTES);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
