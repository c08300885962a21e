/**
 * Which notices were told by mail: by what each is about, until when nobody tells it again. How many people a list is
 * meant to have, and the notices of which a user wants no mail.
 */
export const migration0035 = {
  name: '0035-notices',
  sql: `
CREATE TABLE notices_told (
  account_id  text NOT NULL REFERENCES accounts ON DELETE CASCADE,
  cause       text NOT NULL,
  until       timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, cause)
);
ALTER TABLE lists ADD COLUMN enrolment_goal integer CHECK (enrolment_goal > 0);
ALTER TABLE users ADD COLUMN muted_notices text[] NOT NULL DEFAULT '{}';
`,
} as const;
