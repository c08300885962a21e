import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';

// Otherwise the library would fetch it from a server.
const wasm = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm');
prepareZXingModule({ overrides: { wasmBinary: Uint8Array.from(readFileSync(wasm)).buffer } });

/** The text of the one QR code in a picture. @param png a screenshot @throws Error when there is none, or several */
export async function readQrCode(png: Uint8Array): Promise<string> {
  const codes = await readBarcodes(png, { formats: ['QRCode'], tryHarder: true });
  const [code] = codes;
  if (codes.length !== 1 || code === undefined) throw new Error(`${codes.length} codes in the picture`);
  return code.text;
}
