/**
 * The bytes of a photo in base64. A buffer of its own: what Buffer.from answers for a small text is a view on a pool, which cannot be
 * handed to a worker.
 */
export function decodePhotoText(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Buffer.byteLength(text, 'base64'));
  Buffer.from(bytes.buffer).write(text, 'base64');
  return bytes;
}

/** Overwrites a photo once its request is over. One that was handed over to a worker is no longer here, and the worker wipes it. */
export function wipePhoto(photo: Uint8Array): void {
  // A handed-over buffer is empty, and refuses to be filled.
  if (photo.byteLength > 0) photo.fill(0);
}
