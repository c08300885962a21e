import { z } from 'zod';
import {
  collectionSchema,
  countrySchema,
  idSchema,
  nameSchema,
  timestampInputSchema,
  timestampSchema,
} from './common.ts';

export const createEventRequestSchema = z
  .object({
    name: nameSchema,
    startsAt: timestampInputSchema,
    endsAt: timestampInputSchema,
    country: countrySchema.optional(),
  })
  .refine((event) => Date.parse(event.endsAt) > Date.parse(event.startsAt), {
    path: ['endsAt'],
    error: 'must be later than startsAt',
  });
export type CreateEventRequest = z.infer<typeof createEventRequestSchema>;

export const eventSchema = z.object({
  eventId: idSchema('evt'),
  name: nameSchema,
  startsAt: timestampSchema,
  endsAt: timestampSchema,
  country: countrySchema.nullable(),
  createdAt: timestampSchema,
});
export type EventResource = z.infer<typeof eventSchema>;

export const eventCollectionSchema = collectionSchema(eventSchema);
