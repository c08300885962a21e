/// <reference lib="webworker" />
/**
 * Finds codes in pictures, with the platform's detector if it supports the common codes, otherwise with ZXing. A worker
 * with its own policy, because WebAssembly needs a permission that the page does not have.
 */
import type { GrabbedImage } from '@svc/capture-web';
import { attempt, attemptSoon } from '@svc/page-kit';
import { prepareZXingModule, BarcodeDetector as ZxingDetector } from 'barcode-detector/ponyfill';
import zxingWasm from 'zxing-wasm/reader/zxing_reader.wasm?url';
import type { CodesOfPicture, SeenCode } from './camera-scanner.ts';

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
  detect(source: ImageData): Promise<readonly { readonly rawValue: string; readonly format: string }[]>;
}
type NativeDetector = {
  new (options: { formats: readonly Format[] }): Detector;
  getSupportedFormats(): Promise<readonly string[]>;
};

async function createDetector(): Promise<Detector> {
  const { BarcodeDetector: Native } = globalThis as unknown as { readonly BarcodeDetector: NativeDetector };
  // Some platforms have the class without any format, others lack formats that tickets use.
  const known = await attemptSoon(() => Native.getSupportedFormats(), []);
  const hasAll = formats.every((format) => known.includes(format));
  const native = hasAll ? attempt(() => new Native({ formats }), null) : null;
  if (native !== null) return native;
  prepareZXingModule({ overrides: { locateFile: () => zxingWasm } });
  return new ZxingDetector({ formats: [...formats] });
}

const detector = createDetector();

addEventListener('message', ({ data: { data, width, height } }: MessageEvent<GrabbedImage>) => {
  void detector
    .then((each) => each.detect(new ImageData(data, width, height)))
    .then(
      (found) => found.map(({ rawValue: text, format }): SeenCode => ({ text, format })),
      () => null,
    )
    .then((seen) => postMessage({ seen, data: data.fill(0) } satisfies CodesOfPicture, { transfer: [data.buffer] }));
});
