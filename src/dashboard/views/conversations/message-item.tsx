import type { Message } from '../../../contract/conversations.ts';
import type { Memory } from '../../../contract/memories.ts';
import type { MessagePart } from '../../../contract/message-content.ts';
import { parseTimestamp } from '../../../lib/clock.ts';
import { episodeName } from '../../episode-name.ts';
import { describeError } from '../../errors.ts';
import { formatMoment } from '../../format.ts';
import { Author } from '../../parts/author.tsx';
import { confirm } from '../../parts/confirmation.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { hrefOf } from '../../router.ts';
import { Icon } from '../../shell/icon.tsx';
import { may } from '../../space.ts';
import type { MarkedMessage } from './message-marks.ts';

interface MessageItemProps {
  marked: MarkedMessage;
  isChosen: boolean;
  onErase(): Promise<void>;
}

/** A message between its episode and the memories that came from it. */
export function MessageItem({ marked, isChosen, onErase }: MessageItemProps) {
  const { message, episode, beginsEpisode, memories } = marked;
  const { id, role, name, content, createdAt, author } = message;
  const erase = async () => {
    const text = 'Memories extracted from it stay. This cannot be undone.';
    if (!(await confirm({ title: 'Forget this message?', text, yes: 'Forget' }))) return;
    try {
      await onErase();
    } catch (error) {
      showToast(describeError(error), 'error');
    }
  };
  return (
    <li
      id={id}
      class={`message is-${role}${isChosen ? ' is-chosen' : ''}${episode ? ' has-episode' : ''}`}
      tabIndex={-1}
    >
      <div class="message-episode">
        {beginsEpisode && episode && (
          <>
            <h3 class="content">{episodeName(episode)}</h3>
            {!episode.cut && episode.summary && <p class="hint content episode-summary">{episode.summary}</p>}
          </>
        )}
      </div>
      <div class="message-body">
        <p class="message-head">
          <strong>{name ?? roleTitle(role)}</strong>
          {name && <span class="chip">{role}</span>}
          <span class="hint">
            <time dateTime={createdAt}>{formatMoment(parseTimestamp(createdAt) ?? 0)}</time>{' '}
            <Author of={author} before="stored by " />
          </span>
          {may('memory') && (
            <button
              type="button"
              class="icon-button message-erase"
              aria-label={`Forget message ${message.ordinal}`}
              onClick={() => void erase()}
            >
              <Icon name="trash" size={15} />
            </button>
          )}
        </p>
        <MessageContent role={role} content={content} />
      </div>
      <MarginNotes memories={memories} />
    </li>
  );
}

/** Memories beside the message that they came from. */
export function MarginNotes({ memories }: { memories: readonly Memory[] }) {
  return (
    <ul class="message-notes">
      {memories.map((memory) => (
        <li key={memory.id}>
          <a class="note content" href={hrefOf('memories', { id: memory.id })}>
            {memory.content}
          </a>
        </li>
      ))}
    </ul>
  );
}

function MessageContent({ role, content }: Pick<Message, 'role' | 'content'>) {
  if (typeof content === 'string') return <MessageText role={role} text={content} />;
  return (
    <>
      {content.map((part, index) => (
        <Part key={index} role={role} part={part} />
      ))}
    </>
  );
}

/** Assistants write Markdown. What others wrote is shown as it was written. */
function MessageText({ role, text }: { role: Message['role']; text: string }) {
  return role === 'assistant' ? <Markdown text={text} /> : <p class="content">{text}</p>;
}

/** A part of a message: text in full, calls and results folded, images by their address. */
function Part({ role, part }: { role: Message['role']; part: MessagePart }) {
  switch (part.type) {
    case 'text':
      return <MessageText role={role} text={part.text} />;
    case 'tool_call':
      return <Folded title={`Called ${part.name}`} value={part.arguments} />;
    case 'tool_result':
      return <Folded title="Result of a call" value={part.content} />;
    case 'image_url':
      return <p class="hint content">Image: {part.url.slice(0, 200)}</p>;
  }
}

function Folded({ title, value }: { title: string; value: unknown }) {
  return (
    <details>
      <summary>{title}</summary>
      <pre class="snippet">{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</pre>
    </details>
  );
}

const ROLE_TITLES: Record<string, string> = { user: 'User', assistant: 'Assistant', system: 'System', tool: 'Tool' };

function roleTitle(role: string): string {
  return ROLE_TITLES[role] ?? role;
}
