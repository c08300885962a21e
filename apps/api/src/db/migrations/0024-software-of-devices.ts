/**
 * What a device’s last sync told of its software, and its copy of the list: the one that was last sent to it, and the
 * version that it held when it asked.
 */
export const migration0024 = {
  name: '0024-software-of-devices',
  sql: `
ALTER TABLE devices
  ADD COLUMN pack_version bigint,
  ADD COLUMN pack_people integer,
  ADD COLUMN pack_held_version bigint,
  ADD COLUMN sdk_version text,
  ADD COLUMN engine_ids text[] NOT NULL DEFAULT '{}';
`,
} as const;
