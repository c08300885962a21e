import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** A content coding, by its name in `Accept-Encoding`. */
export type EncodingName = 'br' | 'gzip';

interface Encoding {
  readonly name: EncodingName;
  /** Appended to the file's name, as nginx, Apache and Caddy look for it. */
  readonly suffix: string;
  readonly encode: (bytes: Uint8Array) => Promise<Uint8Array>;
}

const brotli = promisify(brotliCompress);
const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT, BROTLI_PARAM_LGWIN, BROTLI_MAX_WINDOW_BITS } = constants;

/** Larger files take seconds, and change less often than what is built around them. */
const KEPT_FROM_BYTES = 256 * 1024;

/** `npm start` sets `SVC_BUILD=quick`: a runtime of 9 MB takes 2 s in place of 18 s, and is 15 % larger. */
const largeFileQuality = process.env.SVC_BUILD === 'quick' ? 9 : constants.BROTLI_MAX_QUALITY;

/** The best first. */
export const encodings: readonly Encoding[] = [
  {
    name: 'br',
    suffix: '.br',
    encode: (bytes) =>
      brotli(bytes, {
        params: {
          [BROTLI_PARAM_QUALITY]: bytes.length < KEPT_FROM_BYTES ? constants.BROTLI_MAX_QUALITY : largeFileQuality,
          [BROTLI_PARAM_LGWIN]: BROTLI_MAX_WINDOW_BITS,
          [BROTLI_PARAM_SIZE_HINT]: bytes.length,
        },
      }),
  },
  { name: 'gzip', suffix: '.gz', encode: (bytes) => promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }) },
];

/** An encoded file that is not smaller than this part of the plain one is not worth a second file. */
const WORTH_RATIO = 0.95;

const cacheFolder = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'node_modules', '.cache', 'encoded');

/** Results for large files are kept from build to build, by the hash of the plain file. */
async function encodeOnce({ suffix, encode }: Encoding, bytes: Uint8Array, sha256: string): Promise<Uint8Array> {
  if (bytes.length < KEPT_FROM_BYTES) return encode(bytes);
  const kept = join(cacheFolder, `${Buffer.from(sha256, 'base64').toString('hex')}-${largeFileQuality}${suffix}`);
  try {
    return await readFile(kept);
  } catch {
    const encoded = await encode(bytes);
    await mkdir(cacheFolder, { recursive: true });
    // Another build may read it at the same time.
    const unfinished = `${kept}.${process.pid}`;
    await writeFile(unfinished, encoded);
    await rename(unfinished, kept);
    return encoded;
  }
}

/**
 * Encodes a file in each coding that makes it at least 5 % smaller, at the highest quality but for `SVC_BUILD=quick`.
 * @param sha256 of the bytes, base64
 */
export async function encodeFile(
  bytes: Uint8Array,
  sha256: string,
): Promise<readonly (Pick<Encoding, 'name' | 'suffix'> & { readonly bytes: Uint8Array })[]> {
  const all = await Promise.all(
    encodings.map(async (encoding) => ({
      name: encoding.name,
      suffix: encoding.suffix,
      bytes: await encodeOnce(encoding, bytes, sha256),
    })),
  );
  return all.filter((encoded) => encoded.bytes.length < bytes.length * WORTH_RATIO);
}
