import { stemOf } from '../../src/features/text/porter.ts';
import { queryTerms } from '../../src/features/text/terms.ts';
import { createChance } from './chance.ts';
import { type Embed, normalized } from './word-vectors.ts';

/** Takes the place of an embedding model that could not be had. */
export interface StandIn {
  name: string;
  turn(key: string, text: string): Float32Array;
  /** The vector of a question, given the keys of the turns that answer it. */
  question(text: string, evidence: readonly string[]): Float32Array;
}

interface Knowledge {
  /** What it makes of words; without it, each text has a random vector. */
  words: Embed | undefined;
  /**
   * How much of the answers it knows: what is added to the cosine of each piece of evidence is drawn between 0 and
   * twice this. No model knows them, so this only shows the direction in which a good one would move results.
   */
  lift: number;
}

const DIMENSIONS = 128;

export function createStandIn(name: string, { words, lift }: Knowledge): StandIn {
  const embed = words ?? ((text: string) => direction(`${name} ${text}`));
  return {
    name,
    turn: (key, text) => Float32Array.of(...embed(text), ...(lift > 0 ? direction(key) : [])),
    question(text, evidence) {
      const chance = createChance(hashOf(text));
      const known = new Float64Array(lift > 0 ? DIMENSIONS : 0);
      for (const key of evidence) addScaled(known, direction(key), 2 * lift * chance.uniform());
      return Float32Array.of(...embed(text), ...known);
    },
  };
}

/** Embeds a text as the set of its words, each with a random vector: it says nothing that words do not. */
export function embedWords(text: string): Float64Array {
  const sum = new Float64Array(DIMENSIONS);
  for (const stem of new Set(queryTerms(text).map(stemOf))) addScaled(sum, direction(stem), 1);
  return normalized(sum);
}

const directions = new Map<string, Float64Array>();

/** A random direction for each key. */
function direction(key: string): Float64Array {
  const known = directions.get(key);
  if (known !== undefined) return known;
  const chance = createChance(hashOf(key));
  const drawn = normalized(Float64Array.from({ length: DIMENSIONS }, () => chance.normal()));
  directions.set(key, drawn);
  return drawn;
}

function addScaled(sum: Float64Array, vector: Float64Array, by: number): void {
  for (let at = 0; at < sum.length; at += 1) sum[at]! += by * vector[at]!;
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash;
}
