/** Which end of an event was told: its `ends_at` of then. Ends that have passed before are not told. */
export const migration0034 = {
  name: '0034-told-ends-of-events',
  sql: `
ALTER TABLE events ADD COLUMN ended_told timestamptz(3);
UPDATE events SET ended_told = ends_at WHERE ends_at <= now();
CREATE INDEX events_with_untold_end ON events (ends_at) WHERE ended_told IS DISTINCT FROM ends_at;
`,
} as const;
