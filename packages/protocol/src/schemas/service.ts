import * as z from 'zod';

/** What a balancer is answered while all is well; anything else is a problem. */
export const healthSchema = z.object({ status: z.enum(['ok', 'ready']) });
