/** SQLSTATE of an error that came from PostgreSQL, undefined for any other. */
export function sqlState(error: unknown): string | undefined {
  // EPIPE, of the operating system, has the form of a SQLSTATE.
  if (!(error instanceof Error) || !('code' in error) || 'syscall' in error) return undefined;
  return typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined;
}
