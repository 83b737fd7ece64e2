import { Fragment } from 'preact';
import type { SearchResult } from '../../../client/client.ts';
import { formatFigure, formatOrdinal } from '../../format.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { answersPhrase, signalLabel } from '../../ranking-words.ts';
import { describeUse } from './learned-use.ts';
import { signalParts } from './signal-parts.ts';

/** The figures behind a result's place. */
export function WhyTable({ result }: { result: SearchResult }) {
  const parts = signalParts(result);
  const sum = parts.reduce((total, { points }) => total + points, 0);
  const { why } = result;
  return (
    <div class="why">
      <p class="hint">{sentenceOf(result)}</p>
      {why?.learnedWords && why.learnedWords.length > 0 && (
        <p class="hint">
          You asked for{' '}
          {why.learnedWords.map(({ word }, index) => (
            <Fragment key={word}>
              {index > 0 && ', '}
              <em>{word}</em>
            </Fragment>
          ))}{' '}
          and {describeUse(why.learnedWords)}.
        </p>
      )}
      <div class="why-scroll">
        <table>
          <caption class="unseen">What the score of this result is made of</caption>
          <thead>
            <tr>
              <th scope="col">Signal</th>
              <th scope="col" class="numeric">
                Found
              </th>
              <th scope="col" class="numeric">
                Weight
              </th>
              <th scope="col" class="numeric">
                Adds
              </th>
            </tr>
          </thead>
          <tbody>
            {parts.map(({ name, value, weight, points }) => (
              <tr key={name}>
                <th scope="row">
                  <span class={`legend-color signal-${name}`} aria-hidden="true" /> {signalLabel(name)}
                </th>
                <td class="numeric">{formatFigure(value)}</td>
                <td class="numeric">× {formatFigure(weight)}</td>
                <td class="numeric">{formatFigure(points)}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row" colSpan={3}>
                All signals
              </th>
              <td class="numeric">{formatFigure(sum)}</td>
            </tr>
          </tfoot>
        </table>
      </div>
      {why && (
        <p class="why-id">
          <code>{result.id}</code>
          <CopyButton text={() => result.id} label="Copy the id" isIcon />
        </p>
      )}
    </div>
  );
}

function sentenceOf({ why, score, relevance, restatedBy }: SearchResult): string {
  const place =
    why === undefined || why.rank === why.defaultRank
      ? 'Same place as by the default weights.'
      : `${formatOrdinal(why.rank)} here, ${formatOrdinal(why.defaultRank)} by the default weights.`;
  const newer = restatedBy === undefined ? '' : ' It counts as older: it was updated, corrected or forgotten since.';
  const related = (why?.related ?? []).map(({ term, word }) => ` “${word}” counts as “${term}”.`).join('');
  return `${place}${newer}${related} Score ${score.toFixed(2)} of at most 1; ${answersPhrase(relevance)}.`;
}
