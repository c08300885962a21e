export interface Pin {
  readonly name: string;
  readonly version: string;
  readonly sha512: string;
}
export function readPin(packageManager: string): Pin;
export function checkPinned(tarball: Uint8Array, pin: Pin): void;
