import type { Response } from 'express';
import { clientGone } from '../../http/answer.ts';
import type { InferencePool } from '../../inference/port.ts';
import type { Share } from '../../platform/fair-share.ts';
import { toResource as toEvent } from '../events/routes.ts';
import type { EventView } from '../events/service.ts';
import { type Handlers, pick } from '../handlers.ts';
import { type BrandService, type CreatedPreview, describeLogo, type WidgetSettingsRecord } from './service.ts';
import type { Brand } from './store.ts';

function toBrand({ logo, ...looks }: Brand) {
  if (logo === null) return { ...looks, logo };
  const { base64: imageBase64, width, height } = describeLogo(logo);
  return { ...looks, logo: { imageBase64, width, height } };
}

const toSettings = ({ brand, ...organiser }: WidgetSettingsRecord) => ({
  ...organiser,
  brand: brand && toBrand(brand),
});

export function brandHandlers(o: {
  readonly brands: BrandService;
  readonly inference: Pick<InferencePool, 'drawLogo'>;
}) {
  const drawFor = (share: Share, response: Response) => (image: Uint8Array<ArrayBuffer>) =>
    o.inference.drawLogo(image, share, clientGone(response));
  return {
    setWidgetSettings: ({ caller, params: { eventId }, body, share, response, once }) =>
      once(
        (remember) => o.brands.set(caller, eventId, body, drawFor(share, response), remember),
        (event: EventView) => ({ body: toEvent(event) }),
      ),
    replaceWidgetSettings: async ({ caller, params, body, share, response }) =>
      toEvent(await o.brands.replace(caller, params.eventId, body, drawFor(share, response))),
    getWidgetSettings: async ({ caller, params }) => toSettings(await o.brands.get(caller, params.eventId)),
    createWidgetPreview: ({ caller, params: { eventId }, body, share, response, once }) =>
      once(
        (remember) => o.brands.preview(caller, eventId, body, drawFor(share, response), remember),
        (created: CreatedPreview) => ({
          body: pick(created, ['token', 'url', 'expiresAt']),
          secretOf: created.eventId,
        }),
      ),
  } satisfies Partial<Handlers>;
}
