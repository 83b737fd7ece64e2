/** What learning has to know of the signals of a search. All lists are in the order of `names`. */
export interface SignalModel {
  names: readonly string[];
  /** The default weights. */
  weights: readonly number[];
  /** How far each signal spreads over a pool: one unit of what is learned is a shift by so much. */
  deviations: readonly number[];
  /** Divides default scores, so that their softmax over a pool is how often each result is the one that is used. */
  temperature: number;
}

/** Over the pools of labelled dialogues; of a signal that is not in the table, `USUAL_DEVIATION`. */
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
};
const USUAL_DEVIATION = 0.25;

/** The model of signals with these default weights. */
export function signalModelOf(
  names: readonly string[],
  weights: Readonly<Record<string, number>>,
  temperature: number,
): SignalModel {
  return {
    names,
    weights: names.map((name) => weights[name] ?? 0),
    deviations: names.map((name) => DEVIATIONS[name] ?? USUAL_DEVIATION),
    temperature,
  };
}
