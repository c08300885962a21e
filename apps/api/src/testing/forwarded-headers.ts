/** Headers of a connection, not of a message (RFC 9110 section 7.6.1). */
const OF_A_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/** A message's headers as they came, repeated ones and all, without those of its connection. @param rawHeaders names and values in turn */
export function forwarded(rawHeaders: readonly string[]): string[] {
  const headers: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (!OF_A_CONNECTION.has(name.toLowerCase())) headers.push(name, value);
  }
  return headers;
}
