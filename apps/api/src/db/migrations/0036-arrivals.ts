/**
 * What the devices of a list count, by five minutes, and how much of it was published. `sequence`: of the report that a row
 * is from. Rows outlive their device, and go with the list.
 */
export const migration0036 = {
  name: '0036-arrivals',
  sql: `
ALTER TABLE lists ADD COLUMN arrivals text NOT NULL DEFAULT 'off' CHECK (arrivals IN ('off', 'counts'));
ALTER TABLE devices ADD COLUMN arrivals_at timestamptz(3);
CREATE TABLE device_arrivals (
  account_id              text NOT NULL,
  list_id                 text NOT NULL,
  device_id               text NOT NULL,
  starts_at               timestamptz(3) NOT NULL,
  sequence                bigint NOT NULL,
  admitted                integer NOT NULL,
  to_staff                integer NOT NULL,
  not_enrolled            integer NOT NULL,
  published_admitted      integer NOT NULL,
  published_to_staff      integer NOT NULL,
  published_not_enrolled  integer NOT NULL,
  PRIMARY KEY (account_id, list_id, device_id, starts_at),
  FOREIGN KEY (account_id, list_id) REFERENCES lists ON DELETE CASCADE
);
`,
} as const;
