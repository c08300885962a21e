const ADDRESS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^@/?#]*)(.*)$/s;
/** libpq's modes that do not always verify the server; here every connection with TLS does. */
const WEAK_MODES = new Set(['allow', 'prefer', 'require', 'verify-ca']);
const WRITING = [null, 'read-write', 'primary'];

/** The address of one server, as node-postgres reads it. */
function addressOf(text: string): string | null {
  // A socket's folder is a parameter, and a user without a host no URL.
  if (text.includes('@/')) return URL.canParse(text.replace('@/', '@socket/')) ? text : null;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const { searchParams } = url;
  if (!WRITING.includes(searchParams.get('target_session_attrs'))) return null;
  const mode = searchParams.get('sslmode');
  const isSystem = searchParams.get('sslrootcert') === 'system';
  if (isSystem) searchParams.delete('sslrootcert');
  if (isSystem || (mode !== null && WEAK_MODES.has(mode))) searchParams.set('sslmode', 'verify-full');
  return searchParams.has('target_session_attrs') || isSystem || mode !== null ? url.href : text;
}

/**
 * Splits libpq's address of several servers, `postgresql://user@one:5432,two/name?sslmode=verify-full`, into those of
 * one each.
 * @returns null for a text that is no such address, or asks for a server that takes no writes
 */
export function serverAddresses(text: string): readonly string[] | null {
  const [, before, hosts, after] = ADDRESS.exec(text) ?? [];
  if (before === undefined || hosts === undefined || after === undefined) return null;
  const names = hosts.split(',');
  if (names.length > 1 && names.includes('')) return null;
  const addresses = names.map((host) => addressOf(`${before}${host}${after}`));
  return addresses.includes(null) ? null : (addresses as string[]);
}
