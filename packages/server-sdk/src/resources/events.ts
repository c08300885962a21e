import type { CreateEventRequest, EventResource, UpdateEventRequest, WidgetSettings } from '@svc/protocol';
import { type CallOptions, type Http, type PostOptions, pathOf } from '../http.ts';
import type { Collection, PageRequest } from '../pages.ts';

export interface EventMethods {
  createEvent(event: CreateEventRequest, options?: PostOptions): Promise<EventResource>;
  /** Newest first. */
  listEvents(query?: PageRequest, options?: CallOptions): Collection<EventResource>;
  getEvent(eventId: string, options?: CallOptions): Promise<EventResource>;
  /** What is absent stays. */
  updateEvent(eventId: string, changes: UpdateEventRequest, options?: CallOptions): Promise<EventResource>;
  deleteEvent(eventId: string, options?: CallOptions): Promise<void>;
  /** The organiser as guests know it, and its privacy notice; needed before enrolment tokens can be created. */
  setWidgetSettings(eventId: string, settings: WidgetSettings, options?: PostOptions): Promise<EventResource>;
}

export const eventMethods = (http: Http): EventMethods => ({
  createEvent: (body, options) => http.json({ method: 'POST', path: '/v1/events', body, options }),
  listEvents: (query, options) => http.collection('/v1/events', query, options),
  getEvent: (eventId, options) => http.json({ method: 'GET', path: pathOf`/v1/events/${eventId}`, options }),
  updateEvent: (eventId, body, options) =>
    http.json({ method: 'PATCH', path: pathOf`/v1/events/${eventId}`, body, options }),
  deleteEvent: (eventId, options) => http.empty({ method: 'DELETE', path: pathOf`/v1/events/${eventId}`, options }),
  setWidgetSettings: (eventId, body, options) =>
    http.json({ method: 'POST', path: pathOf`/v1/events/${eventId}/widget`, body, options }),
});
