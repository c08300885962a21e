import {
  type EnrolledGuest,
  guestEnrolmentRequestSchema,
  MAX_ENROLMENT_BODY_BYTES,
  type WidgetSession,
  widgetSessionQuerySchema,
} from '@svc/protocol';
import type { Request, Router } from 'express';
import { ServiceError } from '../../errors.ts';
import { clientGone } from '../../http/client-gone.ts';
import type { Call, Guard } from '../../http/guard.ts';
import { idempotencyKeyOf } from '../../http/idempotency-key.ts';
import { readQuery } from '../../http/query.ts';
import { mount } from '../../http/routing.ts';
import type { InferencePool } from '../../inference/port.ts';
import { decodePhotoText, wipePhoto } from '../people/photo-text.ts';
import { FALLBACK_LANGUAGE } from '../wording/wording.ts';
import type { GuestEnrolled, GuestEnrolment, Session, WidgetService } from './service.ts';
import type { Guest } from './store.ts';

const toSession = ({ event, wording, languages, attemptsLeft, expiresAt, deleteAfter }: Session): WidgetSession => ({
  eventName: event.name,
  organiserName: event.organiserName,
  privacyNoticeUrl: event.privacyNoticeUrl,
  consentVersion: wording.consentVersion,
  language: wording.language,
  languages: [...languages],
  wording: wording.wording,
  wordingSha256: wording.sha256,
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

/** The text of the photo is let go here: while the enrolment waits for a worker, only its bytes are kept. */
async function readEnrolment(call: Call<Guest>): Promise<GuestEnrolment> {
  const limitBytes = MAX_ENROLMENT_BODY_BYTES;
  const { imageBase64, ...rest } = await call.body(guestEnrolmentRequestSchema, { limitBytes });
  return { ...rest, photo: decodePhotoText(imageBase64) };
}

/** A token works once and remembers by which request: its repeats need no other memory, and no photo is ever kept for them. */
export function mountWidget(
  router: Router,
  o: { readonly widget: WidgetService; readonly inference: InferencePool; readonly guard: Guard<Guest> },
): void {
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
        const { caller, request, response } = call;
        const requestKey = idempotencyKeyOf(request);
        const again = await o.widget.answerAgain(caller, requestKey);
        if (again !== null) return { status: 201, body: toEnrolled(again) };
        const admission = o.inference.admit(caller.accountId, clientGone(response));
        if (admission === null) throw new ServiceError('overloaded');
        try {
          const enrolment = await readEnrolment(call);
          try {
            return { status: 201, body: toEnrolled(await o.widget.enrol(caller, enrolment, admission, requestKey)) };
          } finally {
            wipePhoto(enrolment.photo);
          }
        } finally {
          admission.release();
        }
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
