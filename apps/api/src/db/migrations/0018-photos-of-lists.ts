/** Permitted photo sources of a list, and whether photos are checked for being pictures of pictures. */
export const migration0018 = {
  name: '0018-photos-of-lists',
  sql: `
ALTER TABLE lists
  ADD COLUMN photo_source text NOT NULL DEFAULT 'any' CHECK (photo_source IN ('any', 'camera')),
  ADD COLUMN photo_check text NOT NULL DEFAULT 'none' CHECK (photo_check IN ('none', 'passive'));
`,
} as const;
