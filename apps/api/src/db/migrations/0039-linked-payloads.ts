/** When a device was last answered by a link to the payload; null for any other answer. */
export const migration0039 = {
  name: '0039-linked-payloads',
  sql: 'ALTER TABLE devices ADD COLUMN linked_at timestamptz(3);',
} as const;
