/** The lower and the upper bound of an area, by position. */
export type Area = readonly (readonly [low: number, high: number])[];

/** Stacks series, the first at the bottom. All have the same number of values, none negative. */
export function stackOf(series: readonly (readonly number[])[]): Area[] {
  const tops = (series[0] ?? []).map(() => 0);
  return series.map((values) =>
    values.map((value, at) => {
      const low = tops[at]!;
      tops[at] = low + value;
      return [low, tops[at]];
    }),
  );
}
