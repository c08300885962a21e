/** What people who cannot turn their head do instead. A list that a node of the version before creates has none. */
export const migration0013 = {
  name: '0013-head-turn-alternatives',
  sql: `
ALTER TABLE lists
  ADD COLUMN head_turn_alternative text NOT NULL DEFAULT 'none' CHECK (head_turn_alternative IN ('none', 'staff', 'light'));
`,
} as const;
