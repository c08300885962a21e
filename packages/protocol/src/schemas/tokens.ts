import * as z from 'zod';
import { GUEST_LINK_HOURS, MAX_LINKS_AT_ONCE, MAX_PHOTO_ATTEMPTS } from '../limits.ts';
import { SECRET_CHARS } from '../secrets.ts';
import { collectionSchema, idSchema, modelIdSchema, timestampSchema } from './common.ts';
import { personIdSchema } from './people.ts';

const hoursError = { error: `must be a whole number from ${GUEST_LINK_HOURS.min} to ${GUEST_LINK_HOURS.max}` };

const hoursSchema = z.int(hoursError).min(GUEST_LINK_HOURS.min, hoursError).max(GUEST_LINK_HOURS.max, hoursError);

/** With `validForHours` the answer holds a guest link; without, the token is for a page and lasts 30 minutes. */
export const createEnrolmentTokenRequestSchema = z.object({
  ticketId: personIdSchema.meta({ description: 'the ticket that the token is for; becomes the personId' }),
  validForHours: hoursSchema.optional().meta({ description: 'makes a guest link; never valid past the event’s end' }),
});
export type CreateEnrolmentTokenRequest = z.infer<typeof createEnrolmentTokenRequestSchema>;

/** What has become of an enrolment token. All but `valid` are final. */
export const enrolmentTokenStates = ['valid', 'used', 'declined', 'expired', 'revoked', 'exhausted'] as const;
export type EnrolmentTokenState = (typeof enrolmentTokenStates)[number];

/** An enrolment token without its secret. */
export const enrolmentTokenSchema = z.object({
  tokenId: idSchema('tok'),
  ticketId: personIdSchema.nullable().meta({ description: 'null once it is no longer needed: it is not kept' }),
  state: z.enum(enrolmentTokenStates),
  attemptsLeft: z.int().min(0).max(MAX_PHOTO_ATTEMPTS),
  guestLink: z.boolean().meta({ description: 'made with validForHours' }),
  createdAt: timestampSchema,
  expiresAt: timestampSchema,
});
export type EnrolmentTokenResource = z.infer<typeof enrolmentTokenSchema>;

/** Answer of creating an enrolment token: the only time that the token is shown. */
export const createdEnrolmentTokenSchema = z.object({
  tokenId: idSchema('tok'),
  token: z.string().meta({
    pattern: '^svce_[0-9A-Za-z]{49}$',
    minLength: SECRET_CHARS,
    maxLength: SECRET_CHARS,
    description: 'shown once',
  }),
  ticketId: personIdSchema,
  expiresAt: timestampSchema,
  url: z.string().optional().meta({ description: 'the guest link, where validForHours was given; holds the token' }),
});
export type CreatedEnrolmentToken = z.infer<typeof createdEnrolmentTokenSchema>;

/** Links for people who are enrolled, to enrol again by. */
export const createEnrolmentLinksRequestSchema = z.object({
  modelId: modelIdSchema
    .optional()
    .meta({ description: 'for people whose template is of this model; of any but the list’s own when left out' }),
  validForHours: hoursSchema.meta({ description: 'never valid past the event’s end' }),
});
export type CreateEnrolmentLinksRequest = z.infer<typeof createEnrolmentLinksRequestSchema>;

/** Answer of creating enrolment links: the only time that they are shown. */
export const createdEnrolmentLinksSchema = z.object({
  items: z
    .array(
      z.object({
        personId: personIdSchema,
        tokenId: idSchema('tok'),
        url: z.string().meta({ description: 'the guest link; holds the token, shown once' }),
        expiresAt: timestampSchema,
      }),
    )
    .max(MAX_LINKS_AT_ONCE),
  remaining: z.int().min(0).meta({ description: 'people who are left without a valid link: ask again for theirs' }),
});
export type CreatedEnrolmentLinks = z.infer<typeof createdEnrolmentLinksSchema>;

export const enrolmentTokenCollectionSchema = collectionSchema(enrolmentTokenSchema);
