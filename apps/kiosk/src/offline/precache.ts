/**
 * The page's files, kept by what they are: an entry's address is the SHA-256 of its bytes. Two versions of the page share what did not
 * change, and the files of a version that still runs stay until the next one has taken over.
 */

/** Path below the page's folder → SHA-256 of the file, base64. */
export type FileHashes = Readonly<Record<string, string>>;

const CACHE = 'svc-kiosk-files';

/** A made-up address below the page's folder; base64's slashes would be folders. */
const addressOf = (sha256: string, folder: URL): string => new URL(`cached/${encodeURIComponent(sha256)}`, folder).href;

/**
 * Fetches what is not there yet; what arrives is held against its hash by the browser (Subresource Integrity).
 * @throws where a file does not arrive as it must: nothing of the version is used then
 */
export async function fetchMissing(files: FileHashes, folder: URL): Promise<void> {
  const cache = await caches.open(CACHE);
  for (const [path, sha256] of Object.entries(files)) {
    const address = addressOf(sha256, folder);
    if ((await cache.match(address)) !== undefined) continue;
    const request = new Request(new URL(path, folder), { integrity: `sha256-${sha256}`, cache: 'no-cache' });
    const response = await fetch(request);
    if (!response.ok) throw new Error('a file of the page is missing');
    await cache.put(address, response);
  }
}

/** The file that a request of this version means; undefined for what is none of its files. */
export async function findFile(files: FileHashes, folder: URL, url: URL): Promise<Response | undefined> {
  if (url.origin !== folder.origin || !url.pathname.startsWith(folder.pathname)) return undefined;
  const path = url.pathname.slice(folder.pathname.length) || 'index.html';
  const sha256 = Object.hasOwn(files, path) ? files[path] : undefined;
  return sha256 === undefined ? undefined : (await caches.open(CACHE)).match(addressOf(sha256, folder));
}

/** Deletes the files of other versions. */
export async function tidy(files: FileHashes, folder: URL): Promise<void> {
  const cache = await caches.open(CACHE);
  const wanted = new Set(Object.values(files).map((sha256) => addressOf(sha256, folder)));
  for (const request of await cache.keys()) if (!wanted.has(request.url)) await cache.delete(request);
}
