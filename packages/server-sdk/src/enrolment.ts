import type { OrganiserOperationTypes } from '@svc/protocol';

const CHUNK_BYTES = 0x6000;

/** A photo: its bytes, or existing base64. */
export type ImageInput = Uint8Array | ArrayBuffer | Blob | { readonly base64: string };

/** Uses the platform's encoder, as this package has no dependencies and photos have megabytes. */
function encode(bytes: Uint8Array): string {
  if (typeof Buffer !== 'undefined') {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  }
  let binary = '';
  // In chunks of whole triples: the number of arguments of a call is limited.
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

/** Input of an enrolment: the person, the ticked consent, one or several photos. */
export interface NewPerson {
  /** Your own identifier, 1 to 200 characters. */
  readonly personId: string;
  readonly consent: EnrolPersonBody['consent'];
  /** Notes of your own by keys of your own; what is not named stays, an empty value or null removes its key. */
  readonly metadata?: EnrolPersonBody['metadata'];
  /** A JPEG or PNG with one face; about 11 MB at most. */
  readonly image: ImageInput;
  /** Source of the photos; must be `camera` for a list whose `photoSource` is `camera`. */
  readonly photoSource?: 'camera' | 'file' | undefined;
  /** One to four further photos of the same person; all photos together stay below 11 MB. */
  readonly additionalImages?: readonly ImageInput[] | undefined;
}

/**
 * A form of what is said and of the photos' bytes, which are copied.
 * @param jsonPart name of the part that says it
 * @param of the people whose photos they are: one, or several by their place
 * @returns null where a photo is base64 already: then it goes as JSON
 */
export function toForm(
  jsonPart: 'person' | 'people',
  said: object,
  of: readonly Pick<NewPerson, 'image' | 'additionalImages'>[],
): FormData | null {
  const form = new FormData();
  form.append(jsonPart, JSON.stringify(said));
  for (const [i, { image, additionalImages = [] }] of of.entries()) {
    const place = jsonPart === 'person' ? '' : `.${i}`;
    for (const [at, photo] of [image, ...additionalImages].entries()) {
      const isBytes = photo instanceof Uint8Array || photo instanceof ArrayBuffer || photo instanceof Blob;
      if (!isBytes) return null;
      form.append(`${at === 0 ? 'photo' : 'additionalPhoto'}${place}`, new Blob([photo as Blob]));
    }
  }
  return form;
}

/** What is said of a person, without photos. */
export function withoutPhotos<P extends Partial<NewPerson>>({ image: _image, additionalImages: _more, ...said }: P) {
  return said;
}

/** The body of an enrolment as JSON. */
export async function toEnrolPersonRequest<P extends Omit<NewPerson, 'personId'>>(person: P) {
  const { image, additionalImages, ...rest } = person;
  const imageBase64 = await imageToBase64(image);
  if (additionalImages === undefined) return { ...rest, imageBase64 };
  const additionalImagesBase64: string[] = [];
  for (const each of additionalImages) additionalImagesBase64.push(await imageToBase64(each));
  return { ...rest, imageBase64, additionalImagesBase64 };
}
