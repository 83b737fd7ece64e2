import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { readAnswer, usesInAnswer } from '../../src/features/learning/answer-uses.ts';
import { finish } from '../../src/lib/time-slices.ts';

/** A prompt, what an assistant was given for it, its answer, and the ids of what the answer used. */
interface Exchange {
  id: string;
  prompt: string;
  given: { id: string; text: string }[];
  answer: string;
  used: string[];
}

const { values: options } = parseArgs({
  options: {
    people: { type: 'string', default: 'one,two,three,four,five,six' },
    show: { type: 'boolean', default: false },
  },
});

/** Counts what is inferred from answers: `node --import tsx bench/retrieval/answer-uses.ts [--people one,two] [--show]`. */
const sum = { right: 0, wrong: 0, missed: 0 };
for (const person of options.people.split(',')) {
  const file = new URL(`answers/${person}.json`, import.meta.url);
  const own = { right: 0, wrong: 0, missed: 0 };
  for (const { prompt, given, answer, used } of JSON.parse(await readFile(file, 'utf8')) as Exchange[]) {
    const numbered = given.map(({ text }, index) => ({ id: `mem_given_${index}`, text }));
    const found = finish(usesInAnswer(finish(readAnswer(answer)), prompt, numbered)).map(
      (id) => given[numbered.findIndex((one) => one.id === id)]!.id,
    );
    for (const { id, text } of given) {
      const [isFound, isUsed] = [found.includes(id), used.includes(id)];
      if (isFound && isUsed) own.right += 1;
      else if (isFound) own.wrong += 1;
      else if (isUsed) own.missed += 1;
      if (options.show && isFound !== isUsed) {
        console.log(
          `${isFound ? 'WRONG' : 'MISSED'}: ${text}\n  asked: ${prompt}\n  answer: ${answer.replace(/\s+/g, ' ')}\n`,
        );
      }
    }
  }
  console.log(`${person}: ${textOf(own)}`);
  for (const key of ['right', 'wrong', 'missed'] as const) sum[key] += own[key];
}
console.log(`all: ${textOf(sum)}`);

function textOf({ right, wrong, missed }: typeof sum): string {
  const share = (of: number) => (of === 0 ? '–' : (right / of).toFixed(2));
  return `precision ${share(right + wrong)} (${right} of ${right + wrong}), recall ${share(right + missed)} (${right} of ${right + missed})`;
}
