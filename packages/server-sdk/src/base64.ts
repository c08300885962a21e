const CHUNK_BYTES = 0x6000;

/** A photo as it may be handed over: its bytes, or base64 that somebody made already. */
export type ImageInput = Uint8Array | ArrayBuffer | Blob | { readonly base64: string };

function encode(bytes: Uint8Array): string {
  if (typeof Buffer !== 'undefined') {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  }
  let binary = '';
  // Chunks of whole triples: arguments of a call are limited.
  for (let i = 0; i < bytes.length; i += CHUNK_BYTES) {
    binary += String.fromCharCode(...bytes.subarray(i, i + CHUNK_BYTES));
  }
  return btoa(binary);
}

/** Base64 (RFC 4648 section 4, padded) of a photo. The input stays the caller's. */
export async function imageToBase64(image: ImageInput): Promise<string> {
  if (image instanceof Uint8Array) return encode(image);
  if (image instanceof ArrayBuffer) return encode(new Uint8Array(image));
  if (image instanceof Blob) return encode(new Uint8Array(await image.arrayBuffer()));
  return image.base64;
}
