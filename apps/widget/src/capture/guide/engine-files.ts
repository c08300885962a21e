import type { EngineFiles } from './engine-line.ts';

/** After this time without the whole file the network counts as lost. */
const TIMEOUT_MS = 120_000;

async function fetchFile(url: URL, bytes: number, count: (bytes: number) => void): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const reader = response.ok ? response.body?.getReader() : undefined;
  if (reader === undefined) throw new Error(`the server answered ${response.status}`);
  const content = new Uint8Array(bytes);
  let at = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    if (at + read.value.byteLength > bytes) throw new Error('the file is longer than it was built');
    content.set(read.value, at);
    at += read.value.byteLength;
    count(read.value.byteLength);
  }
  if (at < bytes) throw new Error('the file is shorter than it was built');
  return content;
}

/**
 * Fetches the files of a folder at once.
 * @param files with their sizes, uncompressed, in bytes
 * @param onProgress called with the fetched share, 0 to 1, in steps of a hundredth
 * @throws Error if a file cannot be fetched or has another size; DOMException `TimeoutError`
 */
export async function fetchEngineFiles(
  folder: URL,
  files: readonly (readonly [name: string, bytes: number])[],
  onProgress: (share: number) => void,
): Promise<EngineFiles> {
  const all = files.reduce((sum, [, bytes]) => sum + bytes, 0);
  let fetched = 0;
  let told = 0;
  const count = (bytes: number): void => {
    fetched += bytes;
    const share = Math.floor((fetched / all) * 100) / 100;
    if (share === told) return;
    told = share;
    onProgress(share);
  };
  const contents = files.map(
    async ([name, bytes]) => [name, await fetchFile(new URL(name, folder), bytes, count)] as const,
  );
  return Object.fromEntries(await Promise.all(contents));
}
