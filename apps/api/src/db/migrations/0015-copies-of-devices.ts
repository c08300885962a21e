/**
 * Detects copied devices: the counter of each device's last answer, the last two that the device sent, and the last
 * issued before it sent the second. A copy sends a counter that the other has passed.
 */
export const migration0015 = {
  name: '0015-copies-of-devices',
  sql: `
ALTER TABLE devices
  ADD COLUMN sync_counter bigint NOT NULL DEFAULT 0,
  ADD COLUMN sync_counter_shown bigint NOT NULL DEFAULT 0,
  ADD COLUMN sync_counter_shown_before bigint NOT NULL DEFAULT 0,
  ADD COLUMN sync_counter_floor bigint NOT NULL DEFAULT 0,
  ADD COLUMN copied_at timestamptz(3);
`,
} as const;
