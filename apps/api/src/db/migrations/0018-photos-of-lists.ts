/** Where a list's photos may come from, and whether they are looked at for being pictures of pictures. */
export const migration0018 = {
  name: '0018-photos-of-lists',
  sql: `
ALTER TABLE lists
  ADD COLUMN photo_source text NOT NULL DEFAULT 'any' CHECK (photo_source IN ('any', 'camera')),
  ADD COLUMN photo_check text NOT NULL DEFAULT 'none' CHECK (photo_check IN ('none', 'passive'));
`,
} as const;
