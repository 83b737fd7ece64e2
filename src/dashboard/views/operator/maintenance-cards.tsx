import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { formatSize } from '../../../contract/byte-size.ts';
import type { OperatorOverview, OperatorTask } from '../../../contract/operator.ts';
import { parseTimestamp } from '../../../lib/clock.ts';
import { Moment } from '../../parts/moment.tsx';
import { ProgressBar } from '../../parts/progress-bar.tsx';
import { operatorCalls, sayFailure } from './operator-calls.ts';

interface MaintenanceProps {
  overview: OperatorOverview;
  onStarted: () => void;
}

/** Backups and integrity checks: when the last one was, and buttons to start one. */
export function MaintenanceCards({ overview: { backups, check, engine }, onStarted }: MaintenanceProps) {
  return (
    <div class="grid">
      <section class="card stack" aria-labelledby="backup-title">
        {backups ? (
          <>
            <TaskHead
              id="backup-title"
              title="Backup"
              button="Back up now"
              task={backups.task}
              start={() => operatorCalls.backup()}
              onStarted={onStarted}
            />
            {backups.task?.state !== 'done' && <TaskState task={backups.task} label="Backing up" />}
            <p>
              {backups.newest ? (
                <>
                  Newest: <code>{backups.newest.name}</code>, {formatSize(backups.newest.bytes)}, checked,{' '}
                  <Moment at={backups.newest.createdAt} />
                </>
              ) : (
                'No backup in this folder yet.'
              )}
            </p>
            {backups.lastStartedAt && isAfter(backups.lastStartedAt, backups.newest?.createdAt) && (
              <p>
                Last backup, to another file: <Moment at={backups.lastStartedAt} />
              </p>
            )}
            <p class="hint content">
              In {backups.folder}. Copy backups to another machine, and keep the master key somewhere else.
            </p>
          </>
        ) : (
          <>
            <h2 id="backup-title">Backup</h2>
            <p class="hint">The database is on PostgreSQL: use pg_dump, or the backups of its provider.</p>
          </>
        )}
      </section>
      <section class="card stack" aria-labelledby="check-title">
        <TaskHead
          id="check-title"
          title="Integrity check"
          button="Check now"
          task={check}
          start={() => operatorCalls.check()}
          onStarted={onStarted}
        />
        <TaskState task={check} label="Checking">
          <p class="success">The database is sound.</p>
        </TaskState>
        <p class="hint">
          Compares the indices with the rows{engine === 'sqlite' && ', and checks every page of the file'}. Requests do
          not wait for it.
        </p>
      </section>
    </div>
  );
}

function isAfter(at: string, other: string | undefined): boolean {
  return other === undefined || (parseTimestamp(at) ?? 0) > (parseTimestamp(other) ?? 0);
}

interface TaskHeadProps {
  id: string;
  title: string;
  button: string;
  task: OperatorTask | null;
  start: () => PromiseLike<unknown>;
  onStarted: () => void;
}

function TaskHead({ id, title, button, task, start, onStarted }: TaskHeadProps) {
  const isStarting = useSignal(false);
  const run = async () => {
    isStarting.value = true;
    try {
      await start();
      onStarted();
    } catch (error) {
      sayFailure(error);
    }
    isStarting.value = false;
  };
  return (
    <div class="card-head">
      <h2 id={id}>{title}</h2>
      <button
        type="button"
        class="small"
        disabled={isStarting.value || task?.state === 'running'}
        onClick={() => void run()}
      >
        {button}
      </button>
    </div>
  );
}

function TaskState({
  task,
  label,
  children,
}: {
  task: OperatorTask | null;
  label: string;
  children?: ComponentChildren;
}) {
  if (!task) return null;
  if (task.state === 'running') {
    return (
      <div class="stack" role="status">
        <p>{label}…</p>
        <ProgressBar label={label} done={task.share ?? 0} total={task.share === null ? undefined : 1} />
      </div>
    );
  }
  return (
    <div role="status">
      {task.problems.length === 0 ? (
        children
      ) : (
        <ul class="operator-problems error">
          {task.problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {task.finishedAt && (
        <p class="hint">
          Finished <Moment at={task.finishedAt} />
        </p>
      )}
    </div>
  );
}
