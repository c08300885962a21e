/**
 * The number of a list's people, right while `people_version` equals `list_version`: whatever changes people or raises
 * the version keeps both; after one that does not, such as a node of an earlier version, people are counted anew at the
 * next reading. And an event's time zone, for showing its times.
 */
export const migration0025 = {
  name: '0025-counts-of-lists',
  sql: `
ALTER TABLE lists ADD COLUMN people integer, ADD COLUMN people_version bigint;
ALTER TABLE events ADD COLUMN time_zone text;
`,
} as const;
