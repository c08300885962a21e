import { configureGlobal } from 'fast-check';

// `npm test` tries the same cases on every run, so that a change is refused for what it changed and never for a case
// that chance found today. New cases are looked for by `npm run test:long`, which sets SVC_TEST_PROPERTY_SEED=random; a
// seed that it prints can be given here as a number.
const asked = process.env.SVC_TEST_PROPERTY_SEED ?? '20261121';
if (asked !== 'random') {
  const seed = Number(asked);
  if (!Number.isInteger(seed)) throw new Error('SVC_TEST_PROPERTY_SEED must be an integer or “random”');
  configureGlobal({ seed });
}
