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
    'whether the list’s devices count arrivals (default `off`). `counts`: after each sync, a device reports how many tickets it let in, handed to staff, or had no face for, in steps of five minutes. Each ticket counts once per device. Reports contain no IDs and nothing about faces; to recognise a ticket that it has counted, the device keeps an encrypted HMAC',
  );

const bucketStartSchema = timestampSchema
  .refine((at) => Date.parse(at) % ARRIVALS_BUCKET_MS === 0, { error: 'must be a multiple of five minutes' })
  .describe('start of an interval of five minutes');

const reportedCountSchema = z.int().min(0).max(MAX_ARRIVALS);

/** A device's signed report. */
const arrivalsReportSchema = z
  .object({
    listId: idSchema('lst'),
    sequence: z.int().min(1).describe('`syncCounter` of the last sync response that the device stored'),
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
      .describe('cumulative counts for intervals of five minutes; an interval that is left out keeps its counts'),
    signature: bytesSchema(32).describe('HMAC-SHA-256; its key comes from the manifest’s `arrivals.sealedSecret`'),
  })
  .register(requestSchemas, { id: 'ArrivalsReport' });
export type SignedArrivalsReport = z.infer<typeof arrivalsReportSchema>;

const countsSchema = z.object({
  admitted: countSchema.describe('number of people let in'),
  toStaff: countSchema.describe('number of enrolled people who were sent to staff and not let in later'),
  notEnrolled: countSchema.describe('number of tickets that had no face on the list, and still have none'),
});

/** How many came, by door and by five minutes. */
const arrivalsSchema = z
  .object({
    listId: idSchema('lst'),
    arrivals: arrivalsPolicySchema,
    exact: z.boolean().describe('whether `totals` and `doors` are exact, which starts an hour after the event’s end'),
    enrolled: countSchema.describe('number of people on the list'),
    totals: countsSchema,
    doors: z.array(
      countsSchema.extend({
        deviceId: idSchema('dev'),
        name: nameSchema.nullable().describe('name of the device; null: no name'),
        reportedAt: timestampSchema.nullable().describe('when the device last reported; null if it never has'),
      }),
    ),
    buckets: z
      .array(countsSchema.extend({ startsAt: bucketStartSchema }))
      .describe('counts of all doors for each interval, oldest first; never exact, also if `exact` is true'),
  })
  .register(responseSchemas, { id: 'Arrivals' });
export type Arrivals = z.infer<typeof arrivalsSchema>;

const counts = { admitted: 37, toStaff: 0, notEnrolled: 11 };
const startsAt = '2026-05-01T18:30:00.000Z';

export const arrivalOperations = {
  getArrivals: {
    summary: 'Read arrival counts',
    description:
      'Returns what devices counted: for an event since its first guest, for an ongoing list in the last 24 hours. To protect individuals, a door’s count for an interval is published only once at least five people are waiting to be counted. Up to four people per door and half day are published later or never. Totals are the sum of all doors, so a ticket at two doors counts twice. From an hour after the event’s end, `doors` and `totals` are exact for hours that ended at least an hour ago. Counts of ongoing lists are never exact.',
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
    summary: 'Report a device’s arrival counts',
    description:
      'Sent after each sync if the list’s `arrivals` is `counts`. Reports the cumulative counts of the last day, or of up to seven days after a restart or a failed report. For each interval, the report with the highest `sequence` counts; an older or repeated report also gets 204 and changes nothing. A wrong signature, and a device that must wipe its data, get `invalid-credential`.',
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
    success: { status: 204, description: 'accepted' },
    errors: ['not-found', 'arrivals-off'],
  },
} satisfies Descriptions;
