import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { titleOfClient } from '../../../cli/assistants/assistant-names.ts';
import type { Memory } from '../../../client/client.ts';
import { ORIGIN_TITLES } from '../../../contract/origin.ts';
import { Moment } from '../../parts/moment.tsx';
import { hrefOf } from '../../router.ts';
import { Icon } from '../../shell/icon.tsx';
import { hasSeveralUsers } from '../../users.ts';

interface MemoryFactsProps {
  memory: Memory;
  /** Superseded memories cannot be moved. */
  isReadOnly: boolean;
  /** Moves it to a project, or to none. */
  onMove(project: string | null): void;
}

/** Shows the user, the project, the validity and the origin of a memory. */
export function MemoryFacts({ memory, isReadOnly, onMove }: MemoryFactsProps) {
  const { user, project, occurredAt, expiresAt, createdAt, updatedAt, externalId, source, client, metadata, version } =
    memory;
  const members = Object.entries(metadata);
  return (
    <dl class="facts">
      {source && <Fact label="From">{<SourceLinks source={source} />}</Fact>}
      {hasSeveralUsers.value && (
        <Fact label="User">
          <a href={hrefOf('memories', { user })}>{user}</a>
        </Fact>
      )}
      {(project !== null || !isReadOnly) && (
        <Fact label="Project">
          <Project project={project} isReadOnly={isReadOnly} onMove={onMove} />
        </Fact>
      )}
      {occurredAt !== null && (
        <Fact label="About">
          <Moment at={occurredAt} />
        </Fact>
      )}
      <Fact label="Stored">
        <Moment at={createdAt} />
      </Fact>
      {memory.saidAt !== null && (
        <Fact label="Said again">
          <Moment at={memory.saidAt} />
        </Fact>
      )}
      {memory.author !== null && <Fact label="Written by">{memory.author}</Fact>}
      {client !== null && (
        <Fact label="Stored by">
          <a href={hrefOf('memories', { client })}>{titleOfClient(client)}</a>
        </Fact>
      )}
      {memory.origin !== null && <Fact label="Said by">{ORIGIN_TITLES[memory.origin]}</Fact>}
      {version > 1 && (
        <Fact label="Changed">
          <Moment at={updatedAt} />
        </Fact>
      )}
      {expiresAt !== null && (
        <Fact label="Expires">
          <Moment isUpcoming at={expiresAt} />
        </Fact>
      )}
      {externalId !== null && <Fact label="External id">{externalId}</Fact>}
      {members.map(([name, value]) => (
        <Fact key={name} label={name}>
          {typeof value === 'string' ? value : <code>{JSON.stringify(value)}</code>}
        </Fact>
      ))}
    </dl>
  );
}

/** The project of a memory, with a field to move it to another one. */
function Project({ project, isReadOnly, onMove }: { project: string | null } & Omit<MemoryFactsProps, 'memory'>) {
  const isMoving = useSignal(false);
  const move = (text: string) => {
    isMoving.value = false;
    const given = text.trim() || null;
    if (given !== project) onMove(given);
  };
  if (isMoving.value) {
    return (
      <input
        class="tag-field"
        aria-label="Project, empty for none"
        list="memory-projects"
        maxLength={200}
        defaultValue={project ?? ''}
        ref={(field) => field?.focus()}
        onBlur={(event) => isMoving.value && move(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') move(event.currentTarget.value);
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          isMoving.value = false;
        }}
      />
    );
  }
  return (
    <span class="bar">
      {project !== null && <a href={hrefOf('memories', { project })}>{project}</a>}
      {!isReadOnly && (
        <button type="button" class="link hint" onClick={() => (isMoving.value = true)}>
          {project === null ? 'Move to a project' : 'Move'}
        </button>
      )}
    </span>
  );
}

function Fact({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="fact">
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Links to the very message that a memory comes from, and to what else comes from there. */
function SourceLinks({ source }: { source: NonNullable<Memory['source']> }) {
  const { conversationId, messageId, episodeId } = source;
  const id = messageId ?? episodeId ?? conversationId;
  if (id === undefined) return <>unknown</>;
  const label =
    messageId !== undefined ? 'this message' : episodeId !== undefined ? 'this episode' : 'this conversation';
  return (
    <span class="bar">
      {conversationId === undefined && episodeId === undefined ? (
        <code>{id}</code>
      ) : (
        <a
          class="source-link"
          href={hrefOf('conversations', { id: conversationId, message: messageId, episode: episodeId })}
        >
          <Icon name="conversation" size={16} /> {label}
        </a>
      )}
      {conversationId !== undefined && (
        <a class="hint" href={hrefOf('memories', { source: conversationId })}>
          everything from it
        </a>
      )}
    </span>
  );
}
