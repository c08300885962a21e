/**
 * Which silence of a device was told by mail: the device's `last_sync_at` of then. While it is being told, the end of the
 * lease instead.
 */
export const migration0029 = {
  name: '0029-silences-of-devices',
  sql: `
ALTER TABLE devices ADD COLUMN silence_told timestamptz(3);
`,
} as const;
