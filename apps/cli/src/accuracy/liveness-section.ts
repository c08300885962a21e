/** The liveness part of the accuracy report is measured by another command, which takes longer: each leaves the other's part as it is. */
const begin = '<!-- liveness:begin -->';
const end = '<!-- liveness:end -->';
const unmeasured = `## Liveness

Not measured in this copy: \`npm run evaluate:liveness\` in \`apps/e2e\`.`;

const section = (markdown: string): string => `${begin}\n${markdown}\n${end}`;

/** The place of the part in a report that lacks it. */
export const unmeasuredLiveness: string = section(unmeasured);

/** The part with its marks; null where the report has none. */
function livenessSectionOf(report: string): string | null {
  const [from, to] = [report.indexOf(begin), report.indexOf(end)];
  return from < 0 || to < from ? null : report.slice(from, to + end.length);
}

/** A report with the liveness part of another copy, where that has one. */
export function keepLivenessSection(report: string, other: string): string {
  const [own, kept] = [livenessSectionOf(report), livenessSectionOf(other)];
  return own === null || kept === null ? report : report.replace(own, () => kept);
}

/**
 * A report with a new liveness part.
 * @param markdown beginning with its heading
 * @throws RangeError when the report has no place for it
 */
export function replaceLivenessSection(report: string, markdown: string): string {
  const own = livenessSectionOf(report);
  if (own === null) throw new RangeError('the report has no place for the liveness part');
  return report.replace(own, () => section(markdown));
}
