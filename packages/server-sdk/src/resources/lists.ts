import type {
  ChangeModelRequest,
  CountedListResource,
  CreateListRequest,
  ListResource,
  UpdateListRequest,
} from '@svc/protocol';
import { type CallOptions, type Http, type PostOptions, pathOf } from '../http.ts';
import type { Collection, PageRequest } from '../pages.ts';

export interface ListMethods {
  /** Of an event, or ongoing. */
  createList(list: CreateListRequest, options?: PostOptions): Promise<ListResource>;
  /** Newest first. */
  listLists(query?: PageRequest, options?: CallOptions): Collection<ListResource>;
  /** With the number of people of each model. */
  getList(listId: string, options?: CallOptions): Promise<CountedListResource>;
  /** Devices have the change from their next sync on. */
  updateList(listId: string, changes: UpdateListRequest, options?: CallOptions): Promise<ListResource>;
  /** Nobody can be enrolled any more; permanent. */
  closeEnrollment(listId: string, options?: PostOptions): Promise<ListResource>;
  /** Enrolments are of this model from here on; without one, of the deployment's standard model. */
  changeModel(listId: string, change?: ChangeModelRequest, options?: PostOptions): Promise<ListResource>;
  /** Nobody can be enrolled any more; devices keep verifying; permanent. */
  endList(listId: string, options?: PostOptions): Promise<ListResource>;
  /** Destroys the list's keys and every face in it. */
  deleteList(listId: string, options?: CallOptions): Promise<void>;
}

export const listMethods = (http: Http): ListMethods => ({
  createList: (body, options) => http.json({ method: 'POST', path: '/v1/lists', body, options }),
  listLists: (query, options) => http.collection('/v1/lists', query, options),
  getList: (listId, options) => http.json({ method: 'GET', path: pathOf`/v1/lists/${listId}`, options }),
  updateList: (listId, body, options) =>
    http.json({ method: 'PATCH', path: pathOf`/v1/lists/${listId}`, body, options }),
  closeEnrollment: (listId, options) =>
    http.json({ method: 'POST', path: pathOf`/v1/lists/${listId}/close-enrollment`, options }),
  changeModel: (listId, body = {}, options) =>
    http.json({ method: 'POST', path: pathOf`/v1/lists/${listId}/change-model`, body, options }),
  endList: (listId, options) => http.json({ method: 'POST', path: pathOf`/v1/lists/${listId}/end`, options }),
  deleteList: (listId, options) => http.empty({ method: 'DELETE', path: pathOf`/v1/lists/${listId}`, options }),
});
