import * as z from 'zod';
import {
  bytesSchema,
  countSchema,
  exampleId,
  idSchema,
  nameSchema,
  requestSchemas,
  responseSchemas,
  timestampSchema,
} from '../common.ts';
import { ARRIVALS_BUCKET_MS, MAX_ARRIVAL_BUCKETS, MAX_ARRIVALS } from '../limits.ts';
import { arrivalsPolicies } from '../sync.ts';
import type { Descriptions } from './descriptions.ts';

export const arrivalsPolicySchema = z
  .enum(arrivalsPolicies)
  .describe(
    'whether the list’s devices count who comes, and send the numbers with each sync (default off). counts: by five minutes how many people were let in, handed to staff, or had no face on the list, each ticket once a device; no ID and nothing of a face. Devices remember until then by sealed tags which tickets they counted',
  );

const bucketStartSchema = timestampSchema
  .refine((at) => Date.parse(at) % ARRIVALS_BUCKET_MS === 0, { error: 'must be a multiple of five minutes' })
  .describe('start of five minutes');

const reportedCountSchema = z.int().min(0).max(MAX_ARRIVALS);

/** A device's signed report. */
const arrivalsReportSchema = z
  .object({
    listId: idSchema('lst'),
    sequence: z.int().min(1).describe('`syncCounter` of the device’s last answer'),
    buckets: z
      .array(
        z.object({
          ...{ startsAt: bucketStartSchema, admitted: reportedCountSchema },
          ...{ toStaff: reportedCountSchema, notEnrolled: reportedCountSchema },
        }),
      )
      .max(MAX_ARRIVAL_BUCKETS)
      .refine((all) => new Set(all.map(({ startsAt }) => startsAt)).size === all.length, {
        error: 'must contain each bucket only once',
      })
      .describe('cumulative counts; a bucket that is left out stays as it is'),
    signature: bytesSchema(32).describe('HMAC-SHA-256 under the key from the manifest’s `arrivals.sealedSecret`'),
  })
  .register(requestSchemas, { id: 'ArrivalsReport' });
export type SignedArrivalsReport = z.infer<typeof arrivalsReportSchema>;

const countsSchema = z.object({
  admitted: countSchema.describe('people whom the doors let in'),
  toStaff: countSchema.describe('people of the list whom they handed over to staff, and did not let in later'),
  notEnrolled: countSchema.describe('tickets that they had no face for, and did not get one later'),
});

/** How many came, by door and by five minutes. */
const arrivalsSchema = z
  .object({
    listId: idSchema('lst'),
    arrivals: arrivalsPolicySchema,
    exact: z.boolean().describe('whether totals and doors are exact: from an hour after the event’s end on'),
    enrolled: countSchema.describe('people of the list'),
    totals: countsSchema,
    doors: z.array(
      countsSchema.extend({
        deviceId: idSchema('dev'),
        name: nameSchema.nullable(),
        reportedAt: timestampSchema.nullable().describe('when the device last delivered its counts'),
      }),
    ),
    buckets: z
      .array(countsSchema.extend({ startsAt: bucketStartSchema }))
      .describe('of all doors, oldest first, in steps of five also when `exact`'),
  })
  .register(responseSchemas, { id: 'Arrivals' });
export type Arrivals = z.infer<typeof arrivalsSchema>;

const counts = { admitted: 37, toStaff: 0, notEnrolled: 11 };
const startsAt = '2026-05-01T18:30:00.000Z';

export const arrivalOperations = {
  getArrivals: {
    summary: 'Read how many came',
    description:
      'What devices counted: of an event from its first guest on, of an ongoing list in the last 24 hours. Each number of a door and five minutes grows in steps of at least five, and up to four of a door’s people of half a day are told with those who follow or not at all; totals are sums of doors, so that a ticket at two doors counts twice. An hour after the event’s end doors and totals are exact, for hours that are over for an hour; on ongoing lists never.',
    success: {
      description: 'the counts',
      schema: arrivalsSchema,
      example: {
        ...{ listId: exampleId('lst'), arrivals: 'counts', exact: false, enrolled: 1204, totals: counts },
        doors: [{ deviceId: exampleId('dev'), name: 'North gate', reportedAt: '2026-05-01T18:36:12.000Z', ...counts }],
        buckets: [{ startsAt, ...counts }],
      },
    },
  },
} satisfies Descriptions;

export const reportOperations = {
  reportArrivals: {
    summary: 'Deliver what a device counted',
    description:
      'After each sync, on a list whose `arrivals` is `counts`: cumulative numbers by five minutes, of the last day, and of seven days where they may be missing. Of each bucket the report with the highest `sequence` counts; an earlier or repeated one is answered the same and changes nothing. `invalid-credential` is answered for a signature that is not the device’s, and for a device that has to wipe.',
    request: {
      schema: arrivalsReportSchema,
      example: {
        ...{ listId: exampleId('lst'), sequence: 412 },
        buckets: [{ startsAt, ...counts }],
        signature: 'q5Yc3LrP0ZsYV5Lr0kq3Yx2bq1m7u8Jc6dQeWn4tAbI',
      },
      // Each bucket has five.
      maxValues: 2_000,
    },
    success: { status: 204, description: 'counted' },
    errors: ['not-found', 'arrivals-off'],
  },
} satisfies Descriptions;
