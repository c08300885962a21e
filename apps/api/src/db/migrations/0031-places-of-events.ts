/** Where an event is, for guests. */
export const migration0031 = {
  name: '0031-places-of-events',
  sql: 'ALTER TABLE events ADD COLUMN place text;',
} as const;
