/// <reference lib="webworker" />
/**
 * Finds codes in pictures, beside the page: in a worker of its own policy, since WebAssembly needs a permission that
 * the page does not get. The platform's own detector where it knows the common codes, else ZXing in WebAssembly.
 */
import { prepareZXingModule, BarcodeDetector as ZxingDetector } from 'barcode-detector/ponyfill';
import zxingWasm from 'zxing-wasm/reader/zxing_reader.wasm?url';
import type { SeenCode } from './code-filter.ts';

const formats = [
  'aztec',
  'codabar',
  'code_39',
  'code_93',
  'code_128',
  'data_matrix',
  'ean_8',
  'ean_13',
  'itf',
  'pdf417',
  'qr_code',
  'upc_a',
  'upc_e',
] as const;

type Format = (typeof formats)[number];
interface Detector {
  detect(source: ImageBitmap): Promise<readonly { readonly rawValue: string; readonly format: string }[]>;
}
type NativeDetector = {
  new (options: { formats: readonly Format[] }): Detector;
  getSupportedFormats(): Promise<readonly string[]>;
};

async function createDetector(): Promise<Detector> {
  const { BarcodeDetector: Native } = globalThis as { readonly BarcodeDetector?: NativeDetector };
  // Some platforms have the class and no format, others lack one that tickets bear.
  const known = (await Native?.getSupportedFormats().catch(() => undefined)) ?? [];
  if (Native !== undefined && formats.every((format) => known.includes(format))) return new Native({ formats });
  prepareZXingModule({ overrides: { locateFile: () => zxingWasm } });
  return new ZxingDetector({ formats: [...formats] });
}

const detector = createDetector();

addEventListener('message', ({ data: picture }: MessageEvent<ImageBitmap>) => {
  void detector
    .then((each) => each.detect(picture))
    .then(
      (found) => found.map(({ rawValue: text, format }): SeenCode => ({ text, format })),
      () => null,
    )
    .then((seen) => {
      picture.close();
      postMessage(seen);
    });
});
