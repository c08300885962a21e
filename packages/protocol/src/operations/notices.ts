import * as z from 'zod';
import { exampleId, idSchema, responseSchemas, timestampSchema } from '../common.ts';
import type { Descriptions } from './descriptions.ts';

export const noticeKinds = ['door-offline', 'lease-ending', 'webhook-failing', 'enrolment-goal'] as const;
export type NoticeKind = (typeof noticeKinds)[number];

const noticesSchema = z
  .object({
    items: z.array(
      z.object({
        kind: z
          .enum(noticeKinds)
          .describe(
            '`door-offline`: a device has not synced for 15 minutes while its event runs. `lease-ending`: a device will stop letting people in within two hours unless it syncs, and its event is less than a day away. `webhook-failing`: a webhook has accepted nothing for an hour, or was disabled because of failures. `enrolment-goal`: a list has reached its `enrolmentGoal`',
          ),
        eventId: idSchema('evt').nullable().describe('the event concerned; null if there is none'),
        listId: idSchema('lst').nullable().describe('the list concerned; null for a webhook'),
        place: z
          .string()
          .nullable()
          .describe('name of the event, or of the list if it has no event; null for a webhook'),
        subject: z.string().describe('name of the device, host of the webhook, or number of people'),
        since: timestampSchema.nullable().describe('when it began; null for `enrolment-goal`'),
        until: timestampSchema.nullable().describe('when the device stops letting people in; null for other notices'),
      }),
    ),
  })
  .register(responseSchemas, { id: 'Notices' });
export type NoticeResource = z.infer<typeof noticesSchema>['items'][number];

export const noticeOperations = {
  listNotices: {
    summary: 'List notices',
    description:
      'Returns all problems and goals that are current now. Notices about devices, webhooks and lists need the read scope of each. Users who can act on a notice also get it once by email, unless they muted it (`PATCH /v1/session/user`).',
    success: {
      description: 'the notices, newest first',
      schema: noticesSchema,
      example: {
        items: [
          {
            ...{ kind: 'door-offline', eventId: exampleId('evt'), listId: exampleId('lst'), place: 'Summer concert' },
            ...{ subject: 'North gate', since: '2026-06-20T18:10:00.000Z', until: '2026-06-21T18:10:00.000Z' },
          },
        ],
      },
    },
  },
} satisfies Descriptions;
