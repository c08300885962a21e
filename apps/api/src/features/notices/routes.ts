import { type Handlers, pick } from '../handlers.ts';
import type { NoticeService } from './service.ts';

export const noticeHandlers = (o: { readonly notices: NoticeService }) =>
  ({
    listNotices: async ({ caller }) => ({
      items: (await o.notices.list(caller)).map((notice) =>
        pick(notice, ['kind', 'eventId', 'listId', 'place', 'subject', 'since', 'until']),
      ),
    }),
  }) satisfies Partial<Handlers>;
