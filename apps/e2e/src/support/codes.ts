import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { prepareZXingModule as prepareReader, readBarcodes } from 'zxing-wasm/reader';
import { prepareZXingModule as prepareWriter, type WriterOptions, writeBarcode } from 'zxing-wasm/writer';

// Otherwise the library would fetch it from a server.
const wasmOf = (part: 'reader' | 'writer') => {
  const path = createRequire(import.meta.url).resolve(`zxing-wasm/${part}/zxing_${part}.wasm`);
  return { overrides: { wasmBinary: Uint8Array.from(readFileSync(path)).buffer } };
};
prepareReader(wasmOf('reader'));
prepareWriter(wasmOf('writer'));

/** The text of the one QR code in a picture. @param png a screenshot @throws Error when there is none, or several */
export async function readQrCode(png: Uint8Array): Promise<string> {
  const codes = await readBarcodes(Uint8Array.from(png), { formats: ['QRCode'], tryHarder: true });
  const [code] = codes;
  if (codes.length !== 1 || code === undefined) throw new Error(`${codes.length} codes in the picture`);
  return code.text;
}

/** A code to hold before a camera: PNG in base64. */
export async function drawCode(text: string, format: NonNullable<WriterOptions['format']> = 'QRCode'): Promise<string> {
  const { image, error } = await writeBarcode(text, { format, scale: 8 });
  if (image === null) throw new Error(`no code: ${error}`);
  return Buffer.from(await image.arrayBuffer()).toString('base64');
}
