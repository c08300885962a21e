import * as z from 'zod';
import { idSchema, responseSchemas } from '../common.ts';
import type { Descriptions } from './descriptions.ts';
import type { ApiKeyScope } from './endpoints.ts';

/** Media type of server-sent events (WHATWG HTML, section 9.2). */
export const EVENT_STREAM_MEDIA_TYPE = 'text/event-stream';

/** The data of an event `changed`: what to read again. Never what it is now. */
const liveChangeSchema = z
  .discriminatedUnion('topic', [
    z.object({ topic: z.literal('people'), listId: idSchema('lst') }),
    z.object({ topic: z.literal('doors'), listId: idSchema('lst') }),
    z.object({ topic: z.literal('guests'), eventId: idSchema('evt') }),
    z.object({ topic: z.literal('mailings'), eventId: idSchema('evt') }),
    z.object({ topic: z.literal('webhooks'), webhookId: idSchema('whk') }),
  ])
  .register(responseSchemas, { id: 'LiveChange' });
export type LiveChange = z.infer<typeof liveChangeSchema>;
export type LiveTopic = LiveChange['topic'];

/** The right to read what a topic is about: without it a stream tells nothing of the topic. */
export const liveTopicScopes = {
  people: 'people:read',
  doors: 'devices:read',
  guests: 'people:read',
  mailings: 'people:read',
  webhooks: 'webhooks:read',
} as const satisfies Readonly<Record<LiveTopic, ApiKeyScope>>;

const liveHeadersSchema = z.object({
  'Last-Event-ID': z
    .string()
    .optional()
    .describe(
      '`id` of the last event received, as browsers send it. If anything has changed since, the first event is `missed`',
    ),
});

const topicRights = Object.entries(liveTopicScopes)
  .map(([topic, scope]) => `\`${topic}\` needs \`${scope}\``)
  .join(', ');

export const liveOperations = {
  streamChanges: {
    summary: 'Stream changes',
    description: `Returns server-sent events for pages that show live data. \`ready\`: the stream has started, and you missed nothing. \`missed\`: something may have changed since the event in \`Last-Event-ID\`, so fetch everything again. \`changed\`: \`data\` says what to fetch again (LiveChange), without its content or any names. You only get topics that you can read: ${topicRights}. Events arrive within a few seconds, and one can stand for several changes. The stream ends when the credential expires or the node stops; then connect again. An account can have 50 streams per node; beyond that you get 429 \`rate-limited\`.`,
    headers: liveHeadersSchema,
    success: {
      description: 'the stream',
      mediaType: EVENT_STREAM_MEDIA_TYPE,
      part: liveChangeSchema,
      headers: { 'X-Accel-Buffering': '`no`, so that proxies do not buffer events' },
    },
  },
} satisfies Descriptions;
