import fc from 'fast-check';

// Each run tries properties with the same inputs, and TEST_SEED asks for others: a change is never red by chance.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED) });
