import type { Handlers } from '../handlers.ts';
import type { ArrivalService } from './service.ts';

export const arrivalHandlers = (o: { readonly arrivals: ArrivalService }) =>
  ({
    getArrivals: ({ caller, params }) => o.arrivals.read(caller, params.listId),
    async reportArrivals({ caller, body }) {
      await o.arrivals.report(caller, body);
      return {};
    },
  }) satisfies Partial<Handlers>;
