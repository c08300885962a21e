/** Whether every case runs, and not only one of each kind. */
export const runsAll = process.env.SVC_TEST_WIDGET_ALL === '1';

/** All of the cases, or in a short run the first few. */
export const firstOf = <T>(cases: readonly T[], inShortRun: number): readonly T[] =>
  runsAll ? cases : cases.slice(0, inShortRun);
