/**
 * The number of each device's last answer, the last two that the device showed, and the last that was issued before it
 * showed the latter: a copy of a device shows by a number that the other has left behind.
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
