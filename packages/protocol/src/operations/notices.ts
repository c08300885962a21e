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
            'door-offline: silent for 15 minutes while its event runs. lease-ending: lets nobody in within two hours unless it syncs, and its event is within a day. webhook-failing: accepted nothing for an hour, or was disabled for it. enrolment-goal: the list has as many people as its `enrolmentGoal`',
          ),
        eventId: idSchema('evt').nullable(),
        listId: idSchema('lst').nullable(),
        place: z.string().nullable().describe('name of the event, or of the list without one'),
        subject: z.string().describe('the door, the host of the webhook, or the number of people'),
        since: timestampSchema.nullable(),
        until: timestampSchema.nullable().describe('when the door stops letting guests in'),
      }),
    ),
  })
  .register(responseSchemas, { id: 'Notices' });
export type NoticeResource = z.infer<typeof noticesSchema>['items'][number];

export const noticeOperations = {
  listNotices: {
    summary: 'Read what needs somebody',
    description:
      'All that is so now, of what the caller may read: doors, webhooks and lists each need their own right. The same is told once by mail to users who can do something about it, unless they muted it (`PATCH /v1/session/user`).',
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
