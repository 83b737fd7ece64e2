/** Properties of the search signals that learning depends on. All lists are in the order of `names`. */
export interface SignalModel {
  names: readonly string[];
  /** The default weights. */
  weights: readonly number[];
  /** Standard deviation of each signal over a pool; learned shifts are in these units. */
  deviations: readonly number[];
  /** Divides default scores so that their softmax over a pool is the probability that a result gets used. */
  temperature: number;
}

/** Measured over the pools of labeled dialogues; `DEFAULT_DEVIATION` for other signals. */
const DEVIATIONS: Readonly<Record<string, number>> = {
  lexical: 0.23,
  trigram: 0.24,
  window: 0.2,
  session: 0.3,
  context: 0.21,
  speaker: 1,
  date: 0.39,
  recency: 0.25,
  answerCue: 0.39,
  reply: 0.19,
  self: 0.3,
  vector: 0.25,
  early: 0.25,
  coverage: 0.22,
  category: 0.1,
};
const DEFAULT_DEVIATION = 0.25;

/** Builds the model of signals with these default weights. */
export function signalModelOf(
  names: readonly string[],
  weights: Readonly<Record<string, number>>,
  temperature: number,
): SignalModel {
  return {
    names,
    weights: names.map((name) => weights[name] ?? 0),
    deviations: names.map((name) => DEVIATIONS[name] ?? DEFAULT_DEVIATION),
    temperature,
  };
}
