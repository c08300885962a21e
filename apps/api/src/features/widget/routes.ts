import {
  type EnrolledGuest,
  guestEnrolmentRequestSchema,
  isPhotoPointer,
  MAX_ENROLMENT_BODY_BYTES,
  type WidgetSession,
  widgetSessionQuerySchema,
} from '@svc/protocol';
import type { Request, Router } from 'express';
import type { Photos } from '../../http/body.ts';
import { clientGone, either } from '../../http/client-gone.ts';
import type { Call, Guard } from '../../http/guard.ts';
import { idempotencyKeyOf } from '../../http/idempotency-key.ts';
import { readQuery } from '../../http/query.ts';
import { mount } from '../../http/routing.ts';
import { type InferencePool, withPlace } from '../../inference/port.ts';
import { ServiceError } from '../../platform/errors.ts';
import { FALLBACK_LANGUAGE } from '../wording/wording.ts';
import type { GuestEnrolled, GuestEnrolment, Session, WidgetService } from './service.ts';
import type { Guest } from './store.ts';

const toSession = ({
  event,
  wording,
  languages,
  photoSource,
  attemptsLeft,
  expiresAt,
  deleteAfter,
}: Session): WidgetSession => ({
  eventName: event.name,
  organiserName: event.organiserName,
  privacyNoticeUrl: event.privacyNoticeUrl,
  consentVersion: wording.consentVersion,
  language: wording.language,
  languages: [...languages],
  wording: wording.wording,
  wordingSha256: wording.sha256,
  photoSource,
  attemptsLeft,
  expiresAt: expiresAt.toISOString(),
  deleteAfter: deleteAfter.toISOString(),
});

const toEnrolled = ({ deleteAfter }: GuestEnrolled): EnrolledGuest => ({ deleteAfter: deleteAfter.toISOString() });

/** The language that the page asks for, else the browser's. */
function chooseLanguage(request: Request): (offered: readonly string[]) => string {
  const { language } = readQuery(request, widgetSessionQuerySchema);
  return (offered) => language ?? (request.acceptsLanguages([...offered]) || FALLBACK_LANGUAGE);
}

interface ReadEnrolment {
  readonly enrolment: GuestEnrolment;
  readonly photos: Photos;
}

async function readEnrolment(call: Call<Guest>): Promise<ReadEnrolment> {
  const limitBytes = MAX_ENROLMENT_BODY_BYTES;
  const { value, photos } = await call.bodyWithPhotos(guestEnrolmentRequestSchema, isPhotoPointer, { limitBytes });
  const { imageBase64: _cutOut, photoSource: takenBy, ...rest } = value;
  return { enrolment: { ...rest, takenBy, photo: photos.at('/imageBase64') }, photos };
}

/** Work of which there is one at a time for each token: one body, then one photo. @throws ServiceError 'photo-in-progress' */
function createOneATime() {
  const busy = new Set<string>();
  return async <T>(tokenId: string, work: () => Promise<T>): Promise<T> => {
    if (busy.has(tokenId)) throw new ServiceError('photo-in-progress');
    busy.add(tokenId);
    try {
      return await work();
    } finally {
      busy.delete(tokenId);
    }
  };
}

/** A token works once and remembers by which request: its repeats need no other memory, and no photo is ever kept for them. */
export function mountWidget(
  router: Router,
  o: { readonly widget: WidgetService; readonly inference: InferencePool; readonly guard: Guard<Guest> },
): void {
  const oneATime = createOneATime();
  mount(router, '/v1/widget/session', {
    get: o.guard.call(async ({ caller, request, response }) => {
      const session = o.widget.session(caller, chooseLanguage(request));
      response.vary('Accept-Language').setHeader('Content-Language', session.wording.language);
      response.json(toSession(session));
    }),
  });
  mount(router, '/v1/widget/enrolments', {
    /** The checks are those of an enrolment by the organiser's server; a token that is spent is a 401. */
    post: o.guard.post(
      async (call) => {
        const { caller, request, response, share } = call;
        const requestKey = idempotencyKeyOf(request);
        const again = await o.widget.answerAgain(caller, requestKey);
        if (again !== null) return { status: 201, body: toEnrolled(again) };
        if (!o.inference.hasRoom(share)) throw new ServiceError('overloaded');
        return oneATime(caller.tokenId, async () => {
          const { enrolment, photos } = await readEnrolment(call);
          try {
            const gone = either(clientGone(response), photos.taken);
            const enrolled = await withPlace(o.inference, share, gone, (admission) =>
              o.widget.enrol(caller, enrolment, admission, requestKey),
            );
            return { status: 201, body: toEnrolled(enrolled) };
          } finally {
            photos.wipe();
          }
        });
      },
      { limitBytes: MAX_ENROLMENT_BODY_BYTES },
    ),
  });
  mount(router, '/v1/widget/decline', {
    post: o.guard.post(async ({ caller, request }) => {
      await o.widget.decline(caller, idempotencyKeyOf(request));
      return { status: 204 };
    }),
  });
}
