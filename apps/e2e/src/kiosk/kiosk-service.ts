import { photoOf, ticketOf } from '../support/guests.ts';
import { startService } from '../support/service.ts';

/**
 * A service that serves its own kiosk, with a list of two people.
 * @param o.environment more settings of the API
 */
export async function startKioskService({
  environment = {},
}: {
  readonly environment?: Readonly<Record<string, string>>;
} = {}) {
  let isLater = false;
  const service = await startService({
    environment: { SVC_KIOSK_DIR: '', ...environment },
    mount(router) {
      // Of a later release: another service worker.
      router.get('/kiosk/sw.js', (request, response, next) => {
        const send = response.send.bind(response);
        if (isLater) response.send = (script) => send(`${script}\n// another version`);
        for (const name of ['accept-encoding', 'if-none-match']) delete request.headers[name];
        next();
      });
    },
  });
  const listId = await service.createList();
  for (const guest of ['anna', 'ben'] as const) {
    const { status } = await service.enrol(listId, ticketOf(guest), await photoOf(guest));
    if (status !== 201) throw new Error(`not enrolled: ${status}`);
  }
  return {
    ...service,
    region: service.region,
    listId,
    /** From now on another version of the page is served. */
    changeVersion() {
      isLater = true;
    },
    newToken: async () => (await service.addDevice(listId)).token,
  };
}
