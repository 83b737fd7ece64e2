import fc from 'fast-check';

// Each run tries properties with the same inputs, and TEST_SEED asks for others: a change is never red by chance. What
// fails is told at once; TEST_SHRINK looks for a smaller example first, which may outlast the test.
fc.configureGlobal({
  seed: Number(process.env.TEST_SEED),
  endOnFailure: process.env.TEST_SHRINK === undefined,
  includeErrorInReport: true,
});
