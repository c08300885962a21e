import { PrivateFileError } from '@svc/durable-fs';

/** A part of a deployment that cannot be opened, and that an operator can repair. One line without the setting's value. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** System errors, by code. */
const OF_FILES: Readonly<Record<string, string>> = {
  EACCES: 'the service’s user has no right to it',
  EPERM: 'the service’s user has no right to it',
  EROFS: 'it lies on a file system that is read-only',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'it is a folder, not a file',
  ELOOP: 'its links lead in a circle',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the user’s share of the disk is full',
  EMFILE: 'too many files are open (LimitNOFILE, ulimit -n)',
};

const OF_ADDRESSES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there already',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'the service’s user may not listen there; ports below 1024 need a right of their own',
  ENOTFOUND: 'the host name is not known',
};

const CERTIFICATE = 'the server’s certificate cannot be verified; name its authority with sslrootcert';

/** System errors, SQLSTATEs (PostgreSQL, appendix A) and OpenSSL's codes. */
const OF_DATABASES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no PostgreSQL listens there',
  ENOENT: 'no PostgreSQL listens there',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ETIMEDOUT: 'the server does not answer',
  EHOSTUNREACH: 'the network has no way there',
  ENETUNREACH: 'the network has no way there',
  ECONNRESET: 'the server hangs up',
  EACCES: 'the service’s user has no right to the socket',
  '28000': 'the server refuses the user',
  '28P01': 'the server refuses the user or the password',
  '3D000': 'the server has no database of that name; create it first',
  '42501': 'the user lacks a right there; what migrates must own the schema: svc migrate with the owner’s address',
  '53300': 'the server has no connection left',
  '57P03': 'the server is starting up, stopping or recovering',
  '25006': 'the server takes no writes: it is a standby, or read-only',
  CERT_HAS_EXPIRED: 'the server’s certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  ERR_TLS_CERT_ALTNAME_INVALID: 'the server’s certificate is for another host name',
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
};

/** Errors of node-postgres that have no code. */
const DATABASE_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/timeout expired|timeout exceeded|Timeout acquiring a connection/i, 'the server does not answer'],
  [/does not support SSL connections/, 'the server takes no TLS, which the address asks for'],
  [/Connection terminated|invalid response|SSL negotiation/i, 'what answers there is no PostgreSQL, or hangs up'],
  [/PostgreSQL 15 or newer/, 'PostgreSQL 15 or newer is needed'],
  [/password must be a string/, 'the server asks for a password, and none is set'],
];

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

function databaseReason(error: unknown): string | undefined {
  // Of TLS: sslrootcert, sslcert, sslkey.
  if (error instanceof Error && 'syscall' in error && error.syscall === 'open') {
    return `a file that it names: ${OF_FILES[codeOf(error)] ?? 'it cannot be read'}`;
  }
  const known = OF_DATABASES[codeOf(error)];
  if (known !== undefined || !(error instanceof Error)) return known;
  return DATABASE_TEXTS.find(([text]) => text.test(error.message))?.[1];
}

async function named<T>(
  setting: string,
  reasonOf: (error: unknown) => string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof StartError ? undefined : reasonOf(error);
    if (reason === undefined) throw error;
    const code = codeOf(error);
    throw new StartError(`${setting}: ${reason}${code === '' ? '' : ` (${code})`}`, { cause: error });
  }
}

/** Opens files that a setting names. @throws StartError for what the disk refuses; anything else as it is */
export const openingFiles = <T>(setting: string, work: () => Promise<T>): Promise<T> =>
  named(setting, (error) => (error instanceof PrivateFileError ? error.message : OF_FILES[codeOf(error)]), work);

/** Connects to a database that a setting names. @throws StartError if it cannot be used; anything else as it is */
export const openingDatabase = <T>(setting: string, work: () => Promise<T>): Promise<T> =>
  named(setting, databaseReason, work);

/** Listens at an address out of two settings. @throws StartError if that fails; anything else as it is */
export const openingAddress = <T>(settings: { host: string; port: string }, work: () => Promise<T>): Promise<T> =>
  named(`${settings.host} and ${settings.port}`, (error) => OF_ADDRESSES[codeOf(error)], work);
