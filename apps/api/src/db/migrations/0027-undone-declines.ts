/** How often declining with a token was undone. */
export const migration0027 = {
  name: '0027-undone-declines',
  sql: `
ALTER TABLE enrolment_tokens ADD COLUMN undone_declines smallint NOT NULL DEFAULT 0;
`,
} as const;
