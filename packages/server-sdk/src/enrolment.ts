import type { OrganiserOperationTypes } from '@svc/protocol';

const CHUNK_BYTES = 0x6000;

/** A photo as it may be handed over: its bytes, or base64 that somebody made already. */
export type ImageInput = Uint8Array | ArrayBuffer | Blob | { readonly base64: string };

/** By what the platform has: this package has no dependencies, and a photo has megabytes. */
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

type EnrolPersonBody = OrganiserOperationTypes['enrolPerson']['body'];

/** What an enrolment needs: who, the ticked consent, one photo or several. */
export interface NewPerson {
  /** Your own identifier, 1 to 200 characters. */
  readonly personId: string;
  readonly consent: EnrolPersonBody['consent'];
  /** A JPEG or PNG with one face; about 11 MB at most. */
  readonly image: ImageInput;
  /** Where the photos are from; a list whose `photoSource` is `camera` wants `camera`. */
  readonly photoSource?: 'camera' | 'file' | undefined;
  /** One to four further photos of the same person; all photos together stay below 11 MB. */
  readonly additionalImages?: readonly ImageInput[] | undefined;
}

/** The body of an enrolment. */
export async function toEnrolPersonRequest(person: NewPerson): Promise<EnrolPersonBody> {
  const { image, additionalImages, ...rest } = person;
  const imageBase64 = await imageToBase64(image);
  if (additionalImages === undefined) return { ...rest, imageBase64 };
  const additionalImagesBase64: string[] = [];
  for (const each of additionalImages) additionalImagesBase64.push(await imageToBase64(each));
  return { ...rest, imageBase64, additionalImagesBase64 };
}
