/**
 * Takes one file out of emscripten's packed assets (`file_packager`), which MediaPipe's packages ship as `NAME.data` beside a
 * `NAME_loader.js` that ends in `loadPackage({"files": [{"filename", "start", "end"}, …]})`.
 *
 * @param loader text of the loader, which is read, not run
 * @param path file name inside the package, absolute
 * @returns a view on `data`
 * @throws Error when the loader has no such table or the table no such file
 */
export function readPackedAsset(loader: string, data: Uint8Array, path: string): Uint8Array {
  const table = /loadPackage\((\{"files":.*?\})\);/s.exec(loader)?.[1];
  if (table === undefined) throw new Error('the packed assets have no table of files');
  const { files } = JSON.parse(table) as { files: { filename: string; start: number; end: number }[] };
  const file = files.find(({ filename }) => filename === path);
  if (file === undefined) throw new Error(`the packed assets lack ${path}`);
  if (!(file.start >= 0 && file.start < file.end && file.end <= data.length)) {
    throw new Error(`the packed assets are shorter than their table says`);
  }
  return data.subarray(file.start, file.end);
}
