import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { prepareZXingModule, type WriterOptions, writeBarcode } from 'zxing-wasm/writer';

// Otherwise the library would fetch it from a server.
const wasm = createRequire(import.meta.url).resolve('zxing-wasm/writer/zxing_writer.wasm');
prepareZXingModule({ overrides: { wasmBinary: Uint8Array.from(readFileSync(wasm)).buffer } });

/** A ticket's code: PNG in base64. */
export async function drawTicket(text: string, format: NonNullable<WriterOptions['format']>): Promise<string> {
  const { image, error } = await writeBarcode(text, { format, scale: 8 });
  if (image === null) throw new Error(`no code: ${error}`);
  return Buffer.from(await image.arrayBuffer()).toString('base64');
}
