import { type Signal, useSignal } from '@preact/signals';
import type { SearchAnswer } from '../../../client/client.ts';
import { formatCount, formatFigure } from '../../format.ts';
import { announce } from '../../live.ts';
import { Failure } from '../../parts/failure.tsx';
import { questionLabel, signalLabel } from '../../ranking-words.ts';
import { currentSession, endSessionOn } from '../../session.ts';
import { Icon } from '../../shell/icon.tsx';
import { userPhrase } from '../../users.ts';
import { idsMarked, type Marks } from './marks.ts';
import { type WeightChange, weightChanges } from './weight-changes.ts';

interface Lesson {
  isLearned: boolean;
  events: number;
  user: string;
  changes: WeightChange[];
}

interface TeachingProps {
  answer: SearchAnswer;
  marks: Marks;
  /** Set once the marks were sent. */
  isTaught: Signal<boolean>;
  onAgain(): void;
}

/** Sends the marks as feedback, once for each search, and says what the ranking learned from them. */
export function Teaching({ answer, marks, isTaught, onAgain }: TeachingProps) {
  const lesson = useSignal<Lesson | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const isSending = useSignal(false);
  const [used, irrelevant] = [idsMarked(marks, 'used'), idsMarked(marks, 'irrelevant')];
  const send = async () => {
    isSending.value = true;
    error.value = undefined;
    try {
      lesson.value = await teach(answer, { used, irrelevant });
      isTaught.value = true;
      announce('feedback');
    } catch (failure) {
      endSessionOn(failure);
      error.value = failure;
    }
    isSending.value = false;
  };
  if (lesson.value) return <Learned lesson={lesson.value} bucket={answer.learned?.bucket} onAgain={onAgain} />;
  const isMarked = used.length + irrelevant.length > 0;
  return (
    <div class={`teaching${isMarked ? ' is-marked' : ''}`} role="status">
      {error.value !== undefined && <Failure error={error.value} onRetry={() => void send()} />}
      {isMarked ? (
        <>
          <p>{describeMarks(used.length, irrelevant.length)}</p>
          <div class="buttons">
            <button type="button" class="small" onClick={() => (marks.value = new Map())}>
              Clear
            </button>
            <button type="button" class="small primary" disabled={isSending.value} onClick={() => void send()}>
              <Icon name="learning" size={16} /> Teach the ranking
            </button>
          </div>
        </>
      ) : (
        <p class="hint">Mark what helped and what did not, and the ranking learns from it.</p>
      )}
    </div>
  );
}

function describeMarks(used: number, irrelevant: number): string {
  if (irrelevant === 0) return `${formatCount(used, 'result', 'results')} helped.`;
  const others = `${formatCount(irrelevant, 'result', 'results')} did not`;
  return used === 0 ? `${others} help.` : `${formatCount(used, 'result', 'results')} helped, ${others}.`;
}

async function teach(
  { searchId, results }: SearchAnswer,
  { used, irrelevant }: { used: string[]; irrelevant: string[] },
): Promise<Lesson> {
  const { client } = currentSession();
  const user = results[0]!.user;
  const before = await client.retrieval.get({ user });
  const { learned, events } = await client.feedback(searchId, {
    ...(used.length > 0 && { used }),
    ...(irrelevant.length > 0 && { irrelevant }),
  });
  return { isLearned: learned, events, user, changes: weightChanges(before, await client.retrieval.get({ user })) };
}

function Learned({ lesson, bucket, onAgain }: { lesson: Lesson; bucket: string | undefined; onAgain(): void }) {
  const { isLearned, events, user, changes } = lesson;
  return (
    <div class="teaching is-marked" role="status">
      <div class="stack teaching-text">
        <p>
          <strong>{isLearned ? 'Learned.' : 'Nothing new in this.'}</strong>{' '}
          {isLearned
            ? `The ranking${userPhrase('for', user)} follows ${formatCount(events, 'feedback event', 'feedback events')} now.`
            : 'Each search is learned from once.'}
          {isLearned &&
            bucket !== undefined &&
            ` Most of all for a question that ${questionLabel(bucket)}, as this one.`}
        </p>
        {isLearned && changes.length === 0 && (
          <p class="hint">One mark moves little: weights change once several agree.</p>
        )}
        {changes.length > 0 && (
          <details>
            <summary>Weights</summary>
            <ul class="chips">
              {changes.map(({ signal, before, after }) => (
                <li key={signal} class="chip">
                  {signalLabel(signal)} {formatFigure(before)} → {formatFigure(after)}
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
      <button type="button" class="small" onClick={onAgain}>
        <Icon name="refresh" size={16} /> Search again
      </button>
    </div>
  );
}
