import * as z from 'zod';
import { EVENT_RETAIN_DAYS, ONGOING_RETAIN_DAYS } from '../limits.ts';
import {
  collectionSchema,
  consentVersionSchema,
  countrySchema,
  idSchema,
  modelIdSchema,
  nameSchema,
  timestampSchema,
} from './common.ts';

/**
 * What people who cannot turn their head do instead, at this list's devices. `none`: they go to staff, as everybody does whom a device does not let in. `staff`:
 * after the face matched, staff at the device confirm. `light`: the face answers the light of the device's screen.
 */
export const headTurnAlternatives = ['none', 'staff', 'light'] as const;
export type HeadTurnAlternative = (typeof headTurnAlternatives)[number];
const headTurnAlternativeSchema = z.enum(headTurnAlternatives).meta({
  description:
    'what people who cannot turn their head do instead: nothing (they go to staff), staff at the device confirm, or the face answers the light of the device’s screen',
});

/** Where the photos of a list may come from. */
export const photoSourceSchema = z.enum(['any', 'camera']).meta({
  description: 'camera: only photos of which the request says that the page’s own camera took them (default any)',
});
export type PhotoSource = z.infer<typeof photoSourceSchema>;

/** Whether a photo is looked at for being a picture of a picture. */
const photoCheckSchema = z.enum(['none', 'passive']).meta({
  description: 'passive: a photo that looks like one of a print or a screen is refused (default none)',
});
export type PhotoCheck = z.infer<typeof photoCheckSchema>;

/** Either of an event (retained `retainDays` after its end) or ongoing (each face retained `retainDays` after its enrolment). */
export const createListRequestSchema = z
  .object({
    name: nameSchema,
    country: countrySchema.optional(),
    eventId: idSchema('evt').optional(),
    ongoing: z.literal(true).optional(),
    headTurnAlternative: headTurnAlternativeSchema.optional(),
    photoSource: photoSourceSchema.optional(),
    photoCheck: photoCheckSchema.optional(),
    retainDays: z
      .int()
      .optional()
      .meta({
        minimum: EVENT_RETAIN_DAYS.min,
        maximum: ONGOING_RETAIN_DAYS.max,
        description: `with eventId ${EVENT_RETAIN_DAYS.min} to ${EVENT_RETAIN_DAYS.max} (default ${EVENT_RETAIN_DAYS.default}), ongoing ${ONGOING_RETAIN_DAYS.min} to ${ONGOING_RETAIN_DAYS.max} (default ${ONGOING_RETAIN_DAYS.default})`,
      }),
  })
  .superRefine((list, context) => {
    const ofEvent = list.eventId !== undefined;
    if (ofEvent === (list.ongoing === true)) {
      context.addIssue({ code: 'custom', path: [], message: 'exactly one of eventId and ongoing is needed' });
      return;
    }
    const { min, max } = ofEvent ? EVENT_RETAIN_DAYS : ONGOING_RETAIN_DAYS;
    if (list.retainDays !== undefined && (list.retainDays < min || list.retainDays > max)) {
      context.addIssue({ code: 'custom', path: ['retainDays'], message: `must be from ${min} to ${max}` });
    }
  })
  .meta({ oneOf: [{ required: ['eventId'] }, { required: ['ongoing'] }] });
export type CreateListRequest = z.infer<typeof createListRequestSchema>;

/** What changes; the rest stays. */
export const updateListRequestSchema = z.object({ headTurnAlternative: headTurnAlternativeSchema.optional() });
export type UpdateListRequest = z.infer<typeof updateListRequestSchema>;

export const listSchema = z.object({
  listId: idSchema('lst'),
  name: nameSchema,
  eventId: idSchema('evt').nullable().meta({ description: 'null for an ongoing list' }),
  country: countrySchema.nullable(),
  consentVersion: consentVersionSchema,
  modelId: modelIdSchema.meta({ description: 'the recognition model of new enrolments' }),
  enrollmentClosed: z.boolean(),
  headTurnAlternative: headTurnAlternativeSchema,
  photoSource: photoSourceSchema,
  photoCheck: photoCheckSchema,
  retainDays: z.int(),
  retentionDeadline: timestampSchema.nullable().meta({ description: 'null for an ongoing list' }),
  endedAt: timestampSchema.nullable().meta({ description: 'null while the list has not been ended' }),
  createdAt: timestampSchema,
});
export type ListResource = z.infer<typeof listSchema>;

/** People of a list whose templates are of one model. */
const modelCountSchema = z.object({
  modelId: modelIdSchema,
  engineId: z.string().meta({ description: 'what devices call the model' }),
  people: z.int().min(0).meta({ description: 'whose time has not come and who are served to devices' }),
});

/** A list as it is read by itself. */
export const countedListSchema = listSchema.extend({
  models: z
    .array(modelCountSchema)
    .meta({ description: 'the model of new enrolments first, then the others that people are left of' }),
});
export type CountedListResource = z.infer<typeof countedListSchema>;

export const changeModelRequestSchema = z.object({
  modelId: modelIdSchema.optional().meta({ description: 'the deployment’s standard model when left out' }),
});
export type ChangeModelRequest = z.infer<typeof changeModelRequestSchema>;

export const listCollectionSchema = collectionSchema(listSchema);
