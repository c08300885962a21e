/** Alternative for people who cannot turn their head; none for lists that a node of the previous version creates. */
export const migration0013 = {
  name: '0013-head-turn-alternatives',
  sql: `
ALTER TABLE lists
  ADD COLUMN head_turn_alternative text NOT NULL DEFAULT 'none' CHECK (head_turn_alternative IN ('none', 'staff', 'light'));
`,
} as const;
