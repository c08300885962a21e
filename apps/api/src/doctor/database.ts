import { failed, ok, type Verdict, warning } from './check.ts';
import type { DatabaseFacts } from './store.ts';

const OLDEST_POSTGRES = 150_000;
/** Consents may lie five minutes ahead, devices bear two: a node's clock must be closer than that. */
const CLOCK_WARNING_MS = 2_000;
const CLOCK_FAILURE_MS = 60_000;

export function databaseVersion(facts: DatabaseFacts, latencyMs: number): Verdict {
  if (facts.versionNumber < OLDEST_POSTGRES) return failed(`PostgreSQL ${facts.version}; 15 or newer is needed`);
  if (facts.isReadOnly) return failed(`PostgreSQL ${facts.version} takes no writes: it is a standby`);
  return ok(`PostgreSQL ${facts.version}, answers in ${Math.max(1, Math.round(latencyMs))} ms`);
}

export function databaseLog({ logsValues }: DatabaseFacts): Verdict {
  return logsValues
    ? warning('its log may hold personIds: set log_parameter_max_length and …_on_error to 0')
    : ok('values of statements stay out of it');
}

/** @param differenceMs the database's clock minus this machine's */
export function clockDifference(differenceMs: number): Verdict {
  const seconds = (differenceMs / 1_000).toFixed(1);
  const text =
    `the database’s clock is ${seconds} s ${differenceMs < 0 ? 'behind' : 'ahead of'} this machine’s`.replace('-', '');
  const off = Math.abs(differenceMs);
  if (off > CLOCK_FAILURE_MS) return failed(text);
  return off > CLOCK_WARNING_MS ? warning(text) : ok(text);
}

/** @param applied null where there is no schema yet */
export function schemaState(applied: readonly string[] | null, known: readonly string[]): Verdict {
  if (applied === null) return warning('empty: the first start makes it');
  const pending = known.filter((name) => !applied.includes(name));
  if (pending.length > 0) return warning(`${pending.length} migrations behind: the next start applies them`);
  const newer = applied.filter((name) => !known.includes(name));
  if (newer.length > 0) return warning(`a newer version of the service has applied ${newer.join(', ')}`);
  return ok(`up to date, ${known.length} migrations`);
}
