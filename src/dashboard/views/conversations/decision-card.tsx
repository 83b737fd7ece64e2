import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Conversation } from '../../../contract/conversations.ts';
import type { Decision } from '../../../contract/jobs.ts';
import { describeError } from '../../errors.ts';
import { announce } from '../../live.ts';
import { Diff } from '../../parts/diff.tsx';
import { useResource } from '../../resource.ts';
import { hrefOf } from '../../router.ts';
import { currentSession } from '../../session.ts';

const TITLES: Record<Decision['decision'], string> = {
  add: 'Add',
  update: 'Update a memory',
  supersede: 'Replace a memory',
  nothing: 'Ignore',
};

interface DecisionCardProps {
  decision: Decision;
  conversation: Conversation;
}

/** One suggestion of a dry run, which is stored only if it is accepted. */
export function DecisionCard({ decision, conversation }: DecisionCardProps) {
  const outcome = useSignal<'open' | 'busy' | 'accepted' | 'dismissed'>('open');
  const storedId = useSignal('');
  const failure = useSignal('');
  const target = useResource(decision.targetId ?? '', async (signal) => {
    if (decision.targetId === null) return undefined;
    const { data, response } = await currentSession().client.memories.get(decision.targetId, { signal }).withResponse();
    return { content: data.content, etag: response.etag };
  });
  const shown = target.state.value.value;
  const accept = async () => {
    outcome.value = 'busy';
    failure.value = '';
    try {
      storedId.value = await carryOut(decision, conversation, shown?.etag);
      outcome.value = 'accepted';
      announce('memory');
    } catch (error) {
      outcome.value = 'open';
      failure.value = describeError(error);
      // It may have been changed since it was shown.
      target.reload();
    }
  };
  const { content, reason, targetId } = decision;
  const isOpen = outcome.value === 'open' || outcome.value === 'busy';
  return (
    <div class="card decision">
      <p>
        <span class="chip is-accent">{TITLES[decision.decision]}</span>{' '}
        {targetId && <a href={hrefOf('memories', { id: targetId })}>Show the current memory</a>}
      </p>
      {shown ? <Diff before={shown.content} after={content} /> : <p class="content">{content}</p>}
      {reason && <p class="hint content">{reason}</p>}
      {failure.value && (
        <p class="error" role="alert">
          {failure.value}
        </p>
      )}
      {isOpen ? (
        <div class="buttons">
          <button type="button" class="small primary" disabled={outcome.value === 'busy'} onClick={() => void accept()}>
            Accept
          </button>
          <button
            type="button"
            class="small"
            disabled={outcome.value === 'busy'}
            onClick={() => (outcome.value = 'dismissed')}
          >
            Dismiss
          </button>
        </div>
      ) : (
        <Outcome>
          {outcome.value === 'accepted' ? (
            <>
              <span class="success">Stored.</span>{' '}
              <a href={hrefOf('memories', { id: storedId.value })}>Show the memory</a>
            </>
          ) : (
            <>
              <span class="hint">Dismissed.</span>{' '}
              <button type="button" class="link" onClick={() => (outcome.value = 'open')}>
                Undo
              </button>
            </>
          )}
        </Outcome>
      )}
    </div>
  );
}

/** The outcome. Takes the focus of the removed button, so that Tab leads to the next suggestion. */
function Outcome({ children }: { children: ComponentChildren }) {
  const line = useRef<HTMLParagraphElement>(null);
  useEffect(() => line.current?.focus(), []);
  return (
    <p ref={line} tabIndex={-1}>
      {children}
    </p>
  );
}

const EXTRACTED = { origin: 'extraction' } as const;

/** Stores what a decision says, if the memory that it changes is as it was shown. Returns the id of the memory. */
async function carryOut(
  { decision, content, targetId, messageIds }: Decision,
  { id, user, project }: Conversation,
  etag: string | undefined,
): Promise<string> {
  const { memories } = currentSession().client;
  const unchanged = etag === undefined ? {} : { ifMatch: etag };
  if (decision === 'update' && targetId) {
    return (await memories.update(targetId, { content, ...EXTRACTED }, unchanged)).id;
  }
  const [messageId] = messageIds;
  const source = { conversationId: id, ...(messageId !== undefined && { messageId }) };
  const created = { content, ...EXTRACTED, user, source, ...(project !== null && { project }) };
  return (await memories.create({ ...created, ...(decision === 'supersede' && targetId && { supersedes: targetId }) }))
    .id;
}
