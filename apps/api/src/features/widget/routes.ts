import { clientGone } from '../../http/answer.ts';
import { type InferencePool, withPlace } from '../../inference/port.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Handlers } from '../handlers.ts';
import { FALLBACK_LANGUAGE } from '../wording/wording.ts';
import type { WidgetService } from './service.ts';

/**
 * A token works once and remembers the request that used it, so that repeats need no other memory and no photo is
 * stored for them.
 */
export function widgetHandlers(o: { readonly widget: WidgetService; readonly inference: InferencePool }) {
  /** One piece of work at a time per token: one body, then one photo. */
  const busyTokens = new Set<string>();

  return {
    async getWidgetSession({ caller, query: { language }, request, response }) {
      // The requested language, else the browser's.
      const session = await o.widget.session(
        caller,
        (offered) => language ?? (request.acceptsLanguages([...offered]) || FALLBACK_LANGUAGE),
      );
      response.vary('Accept-Language').setHeader('Content-Language', session.language);
      return session;
    },
    /** Checks as for the organiser's enrolments; a used token is answered with 401. */
    async enrolGuest({ caller, response, share, key, readBody }) {
      const again = await o.widget.answerAgain(caller, key);
      if (again !== null) return { body: again };
      if (!o.inference.hasRoom(share)) throw new ServiceError('overloaded');
      if (busyTokens.has(caller.tokenId)) throw new ServiceError('photo-in-progress');
      busyTokens.add(caller.tokenId);
      try {
        const { value, photos } = await readBody();
        const gone = AbortSignal.any([clientGone(response), photos.taken]);
        try {
          const { imageBase64: _cutOut, photoSource: takenBy, ...rest } = value;
          const enrolment = { ...rest, takenBy, photo: photos.at('/imageBase64') };
          const body = await withPlace(o.inference, share, gone, (place) =>
            o.widget.enrol(caller, enrolment, place, key),
          );
          return { body };
        } finally {
          photos.wipe();
        }
      } finally {
        busyTokens.delete(caller.tokenId);
      }
    },
    async declineEnrolment({ caller, key }) {
      await o.widget.decline(caller, key);
      return {};
    },
    async undoDecline({ caller, key }) {
      await o.widget.undoDecline(caller, key);
      return {};
    },
  } satisfies Partial<Handlers>;
}
