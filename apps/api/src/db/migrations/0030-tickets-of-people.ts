/**
 * The pseudonym of a person's ticket, as the enrolment tokens of that ticket have it: guests are counted once. Null for
 * who was enrolled by a node of an earlier version; a job fills it in.
 */
export const migration0030 = {
  name: '0030-tickets-of-people',
  sql: `
ALTER TABLE people ADD COLUMN ticket_ref bytea CHECK (octet_length(ticket_ref) = 32);
CREATE INDEX people_by_ticket ON people (account_id, list_id, ticket_ref);
`,
} as const;
