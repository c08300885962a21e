/**
 * How the widget looks at an event, and previews of it. A preview is in no other table: no statement that uses up
 * enrolment tokens or writes people finds one. The logo is a PNG that the service drew.
 */
export const migration0019 = {
  name: '0019-brands-of-events',
  sql: `
CREATE TABLE event_brands (
  account_id  text NOT NULL,
  event_id    text NOT NULL,
  looks       jsonb NOT NULL,
  logo        bytea CHECK (octet_length(logo) <= 49152),
  PRIMARY KEY (account_id, event_id),
  FOREIGN KEY (account_id, event_id) REFERENCES events (account_id, event_id) ON DELETE CASCADE
);

CREATE TABLE widget_previews (
  account_id          text NOT NULL,
  event_id            text NOT NULL,
  token_id            text NOT NULL,
  token_sha256        bytea NOT NULL CHECK (octet_length(token_sha256) = 32),
  organiser_name      text NOT NULL,
  privacy_notice_url  text NOT NULL,
  looks               jsonb NOT NULL,
  logo                bytea CHECK (octet_length(logo) <= 49152),
  expires_at          timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, event_id, token_id),
  FOREIGN KEY (account_id, event_id) REFERENCES events (account_id, event_id) ON DELETE CASCADE
);
CREATE INDEX widget_previews_by_hash ON widget_previews (token_sha256);
CREATE INDEX widget_previews_by_expiry ON widget_previews (expires_at);
`,
} as const;
