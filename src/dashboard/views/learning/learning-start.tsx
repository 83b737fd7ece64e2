import { hrefOf } from '../../router.ts';
import { Icon } from '../../shell/icon.tsx';

/** Says how learning begins, while there is no feedback. */
export function LearningStart() {
  return (
    <div class="stack">
      <section class="card learning-start">
        <Icon name="learning" size={28} />
        <h2>The ranking has not learned anything yet</h2>
        <p>
          svc ranks with default weights until it knows what helps you. Then the useful result comes first more often,
          and this page shows by how much.
        </p>
        <a class="button primary" href={hrefOf('recall')}>
          Search in Recall and mark what helped
        </a>
      </section>
      <div class="grid">
        <section class="card stack">
          <h2>You mark results</h2>
          <p class="hint">In Recall, a thumb up or down on a result teaches the ranking, once for each search.</p>
        </section>
        <section class="card stack">
          <h2>Assistants report</h2>
          <p class="hint">
            Through <code>memory_feedback</code> or the API, an assistant names the memories that its answer used.
          </p>
        </section>
        <section class="card stack">
          <h2>Usage counts automatically</h2>
          <p class="hint">
            What an assistant reads or changes after a search that showed it, or repeats in its answer, counts half.
          </p>
        </section>
      </div>
    </div>
  );
}
