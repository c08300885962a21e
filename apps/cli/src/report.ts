/** For campaigns elsewhere in this repository that write their part of docs/accuracy.md: the same intervals, words and tables. */
export { replaceLivenessSection } from './accuracy/liveness-section.ts';
export { describeRate } from './evaluation/describe.ts';
export { markdownTable } from './output.ts';
export { rateOf } from './statistics/interval.ts';
