import { diffWords } from './word-diff.ts';

/** The difference between two versions of a text, by word. */
export function Diff({ before, after }: { before: string; after: string }) {
  return (
    <p class="diff">
      {diffWords(before, after).map((part, index) => {
        if (part.kind === 'added') return <ins key={index}>{part.text}</ins>;
        if (part.kind === 'removed') return <del key={index}>{part.text}</del>;
        return part.text;
      })}
    </p>
  );
}
