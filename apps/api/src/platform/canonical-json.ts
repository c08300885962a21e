import canonicalize from 'canonicalize';

/** UTF-8 of the one canonical form of a JSON value (RFC 8785): what hashes are made of, so that others can remake them. */
export function canonicalJson(value: object): Buffer {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('not a JSON value');
  return Buffer.from(text, 'utf8');
}
