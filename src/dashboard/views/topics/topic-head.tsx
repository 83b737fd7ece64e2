import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { TopicDetails } from '../../../client/client.ts';
import { formatCount } from '../../format.ts';
import { Moment } from '../../parts/moment.tsx';
import { hrefOf } from '../../router.ts';
import { Icon } from '../../shell/icon.tsx';
import { may } from '../../space.ts';
import { hasSeveralUsers, userParameter } from '../../users.ts';
import { MergeForm } from './merge-form.tsx';
import { addAlias, merge, rename, setHidden, splitOff } from './topic-changes.ts';

type Editing = 'rename' | 'alias' | 'split' | 'merge';

/** The name of a topic, its aliases, and what can be done with it. */
export function TopicHead({ topic, etag }: { topic: TopicDetails; etag: string | undefined }) {
  const { id, name, aliases, user, memoryCount, lastAt, hidden } = topic;
  const editing = useSignal<Editing | undefined>(undefined);
  const isBusy = useSignal(false);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const close = () => {
    editing.value = undefined;
    heading.current?.focus({ preventScroll: true });
  };
  const run = async (change: Promise<boolean>) => {
    isBusy.value = true;
    if (await change) close();
    isBusy.value = false;
  };
  const edit = (kind: Editing) => () => (editing.value = editing.value === kind ? undefined : kind);
  return (
    <header
      class="card stack topic-head"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || editing.value === undefined) return;
        event.stopPropagation();
        close();
      }}
    >
      <div class="topic-title">
        <h2 ref={heading} tabIndex={-1}>
          <bdi>{name}</bdi>
        </h2>
        {hidden && <span class="chip">hidden</span>}
      </div>
      <p class="hint">
        {formatCount(memoryCount, 'memory', 'memories')}
        {lastAt !== null && (
          <>
            , the last <Moment at={lastAt} />
          </>
        )}
        {hasSeveralUsers.value && (
          <>
            {' '}
            · <bdi>{user}</bdi>
          </>
        )}
      </p>
      {aliases.length > 0 && (
        <ul class="chips" aria-label="Other names">
          {aliases.map((alias) => (
            <li key={alias} class="chip">
              <bdi>{alias}</bdi>
            </li>
          ))}
        </ul>
      )}
      <div class="buttons">
        <a class="button small primary" href={hrefOf('recall', { topic: id, ...userParameter(user) })}>
          <Icon name="search" size={14} /> Search in this topic
        </a>
        {may('memory') && (
          <>
            <EditButton kind="rename" label="Rename" editing={editing.value} onEdit={edit('rename')} />
            <EditButton kind="alias" label="Add a name" editing={editing.value} onEdit={edit('alias')} />
            {aliases.length > 0 && (
              <EditButton kind="split" label="Split off" editing={editing.value} onEdit={edit('split')} />
            )}
            <EditButton kind="merge" label="Merge" editing={editing.value} onEdit={edit('merge')} />
            <button
              type="button"
              class="small"
              disabled={isBusy.value}
              title={hidden ? undefined : 'Leaves it out of lists and the profile; nothing is erased'}
              onClick={() => void run(setHidden(topic, !hidden))}
            >
              {hidden ? 'Show again' : 'Hide'}
            </button>
          </>
        )}
      </div>
      {editing.value === 'rename' && (
        <NameForm
          key="rename"
          label="Name"
          hint="The name before stays one of its other names."
          value={name}
          isBusy={isBusy.value}
          onSave={(text) => (text === name ? close() : void run(rename(topic, text)))}
          onCancel={close}
        />
      )}
      {editing.value === 'alias' && (
        <NameForm
          key="alias"
          label="Another name"
          hint="Memories that say it belong to this topic."
          value=""
          isBusy={isBusy.value}
          onSave={(text) => ([name, ...aliases].includes(text) ? close() : void run(addAlias(topic, text, etag)))}
          onCancel={close}
        />
      )}
      {editing.value === 'split' && (
        <SplitForm
          names={[name, ...aliases]}
          isBusy={isBusy.value}
          onSplit={(names) => void run(splitOff(topic, names))}
          onCancel={close}
        />
      )}
      {editing.value === 'merge' && (
        <MergeForm
          topic={topic}
          isBusy={isBusy.value}
          onMerge={(other) => void run(merge(topic, other))}
          onCancel={close}
        />
      )}
    </header>
  );
}

interface EditButtonProps {
  kind: Editing;
  label: string;
  editing: Editing | undefined;
  onEdit(): void;
}

function EditButton({ kind, label, editing, onEdit }: EditButtonProps) {
  return (
    <button type="button" class="small" aria-expanded={editing === kind} onClick={onEdit}>
      {label}
    </button>
  );
}

interface NameFormProps {
  label: string;
  hint: string;
  value: string;
  isBusy: boolean;
  onSave(name: string): void;
  onCancel(): void;
}

function NameForm({ label, hint, value, isBusy, onSave, onCancel }: NameFormProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        const name = field.current!.value.trim();
        if (name !== '') onSave(name);
      }}
    >
      <label>
        {label}
        <input ref={field} defaultValue={value} maxLength={80} required autocomplete="off" autofocus />
      </label>
      <p class="hint">{hint}</p>
      <FormButtons label="Save" isBusy={isBusy} isReady onCancel={onCancel} />
    </form>
  );
}

interface SplitFormProps {
  names: readonly string[];
  isBusy: boolean;
  onSplit(names: string[]): void;
  onCancel(): void;
}

function SplitForm({ names, isBusy, onSplit, onCancel }: SplitFormProps) {
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onSplit([...chosen.value]);
      }}
    >
      <fieldset>
        <legend>Names that become a topic of their own</legend>
        <div class="topic-names">
          {names.map((name) => (
            <label key={name} class="check">
              <input
                type="checkbox"
                checked={chosen.value.has(name)}
                onChange={({ currentTarget: { checked } }) => {
                  chosen.value = new Set([...chosen.value, name].filter((one) => checked || one !== name));
                }}
              />
              <bdi>{name}</bdi>
            </label>
          ))}
        </div>
      </fieldset>
      <FormButtons
        label="Split off"
        isBusy={isBusy}
        isReady={chosen.value.size > 0 && chosen.value.size < names.length}
        onCancel={onCancel}
      />
    </form>
  );
}

interface FormButtonsProps {
  label: string;
  isBusy: boolean;
  isReady: boolean;
  onCancel(): void;
}

function FormButtons({ label, isBusy, isReady, onCancel }: FormButtonsProps) {
  return (
    <div class="buttons">
      <button type="submit" class="small primary" disabled={isBusy || !isReady}>
        {label}
      </button>
      <button type="button" class="small" onClick={onCancel}>
        Cancel
      </button>
    </div>
  );
}
