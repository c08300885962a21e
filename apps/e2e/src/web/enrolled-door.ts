import { type EnrolmentService, enrolBody, startEnrolmentService } from '../enrolment/service.ts';
import { startWebDoor, type WebDoor, type WebDoorOptions } from './web-door.ts';

/** A door at a service of the tests. */
export interface EnrolledDoor extends WebDoor {
  readonly service: EnrolmentService;
  readonly listId: string;
  readonly device: { readonly id: string; readonly token: string };
}

export async function startEnrolledDoor(options: Omit<WebDoorOptions, 'service'>): Promise<EnrolledDoor> {
  const service = await startEnrolmentService();
  const { customer, api } = service;
  const listId = await service.createList();
  const door = await startWebDoor({
    ...options,
    service: {
      url: api.url,
      get region() {
        return { baseUrl: api.url, signingKeys: [api.admin.region().signingKey] };
      },
      enrol: async (personId, photo) => {
        const { status } = await customer.request('POST', `/v1/lists/${listId}/people`, enrolBody({ personId, photo }));
        return String(status);
      },
      close: () => service.close(),
    },
  });
  const { body: device } = await customer.request<EnrolledDoor['device']>('POST', `/v1/lists/${listId}/devices`);
  return { ...door, service, listId, device };
}
