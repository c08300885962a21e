import type { EnrolledPerson, EnrolPersonRequest, PersonResource } from '@svc/protocol';
import { type ImageInput, imageToBase64 } from '../base64.ts';
import { type CallOptions, type Http, type PostOptions, pathOf } from '../http.ts';
import type { Collection, PageRequest } from '../pages.ts';

/** What an enrolment needs: who, the ticked consent, one photo or several. */
export interface NewPerson {
  /** Your own identifier, 1 to 200 characters. */
  readonly personId: string;
  readonly consent: Omit<EnrolPersonRequest['consent'], 'under16' | 'guardianConsent'> &
    Partial<Pick<EnrolPersonRequest['consent'], 'under16' | 'guardianConsent'>>;
  /** A JPEG or PNG with one face; about 11 MB at most. */
  readonly image: ImageInput;
  /** Where the photos are from; a list whose `photoSource` is `camera` wants `camera`. */
  readonly photoSource?: 'camera' | 'file' | undefined;
  /** One to four further photos of the same person; all photos together stay below 11 MB. */
  readonly additionalImages?: readonly ImageInput[] | undefined;
}

export interface PersonMethods {
  /** Enrols, or replaces the face of somebody enrolled. The bytes stay the caller's; wipe them when you are done. */
  enrolPerson(listId: string, person: NewPerson, options?: PostOptions): Promise<EnrolledPerson>;
  /** In the order of their first enrolment. */
  listPeople(
    listId: string,
    query?: PageRequest & { readonly personId?: string | undefined; readonly modelId?: string | undefined },
    options?: CallOptions,
  ): Collection<PersonResource>;
  /** Rejects with a TypeError for the personIds `.` and `..`, which no path can carry: {@link listPeople} takes them */
  getPerson(listId: string, personId: string, options?: CallOptions): Promise<PersonResource>;
  /**
   * Erases the face; `reason` notes a withdrawal in the ledger.
   * Rejects with a TypeError for the personIds `.` and `..`, which no path can carry: {@link deletePersonByQuery} takes them
   */
  deletePerson(
    listId: string,
    personId: string,
    query?: { readonly reason?: 'consent-withdrawn' | undefined },
    options?: CallOptions,
  ): Promise<void>;
  /** The same for any personId. */
  deletePersonByQuery(
    listId: string,
    query: { readonly personId: string; readonly reason?: 'consent-withdrawn' | undefined },
    options?: CallOptions,
  ): Promise<void>;
}

export const personMethods = (http: Http): PersonMethods => ({
  async enrolPerson(listId, { personId, consent, image, photoSource, additionalImages }, options) {
    const path = pathOf`/v1/lists/${listId}/people`;
    const imageBase64 = await imageToBase64(image);
    const additionalImagesBase64: string[] = [];
    for (const each of additionalImages ?? []) additionalImagesBase64.push(await imageToBase64(each));
    const body = {
      ...{ personId, consent, imageBase64 },
      ...(photoSource === undefined ? {} : { photoSource }),
      ...(additionalImages === undefined ? {} : { additionalImagesBase64 }),
    };
    return http.json({ method: 'POST', path, body, options });
  },
  listPeople: (listId, query, options) => http.collection(pathOf`/v1/lists/${listId}/people`, query, options),
  getPerson: (listId, personId, options) =>
    http.json({ method: 'GET', path: pathOf`/v1/lists/${listId}/people/${personId}`, options }),
  deletePerson: (listId, personId, query, options) =>
    http.empty({
      method: 'DELETE',
      path: pathOf`/v1/lists/${listId}/people/${personId}`,
      query: { ...query },
      options,
    }),
  deletePersonByQuery: (listId, query, options) =>
    http.empty({ method: 'DELETE', path: pathOf`/v1/lists/${listId}/people`, query: { ...query }, options }),
});
