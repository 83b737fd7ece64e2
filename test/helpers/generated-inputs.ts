import fc from 'fast-check';

// Each run tries properties with the same inputs, and TEST_SEED asks for others: a change is never red by chance. A
// failure is reported at once; TEST_SHRINK looks for a smaller input first, which may outlast the test.
fc.configureGlobal({
  seed: Number(process.env.TEST_SEED),
  endOnFailure: process.env.TEST_SHRINK === undefined,
  includeErrorInReport: true,
});
