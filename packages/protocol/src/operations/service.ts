import * as z from 'zod';
import { responseSchemas } from '../common.ts';
import type { Descriptions } from './descriptions.ts';

/** Answer to a load balancer when the service is healthy; otherwise a problem is answered. */
const healthSchema = z.object({ status: z.enum(['ok', 'ready']) }).register(responseSchemas, { id: 'Health' });

export const serviceOperations = {
  getOpenApiDocument: {
    summary: 'This document',
    description: 'Built from the schemas that validate requests; the same as data what the reference shows to people.',
    success: { description: 'OpenAPI 3.1', mediaType: 'application/json' },
  },
  getHealth: {
    summary: 'The process is alive',
    description: 'Says nothing about the database: a process that answers need not be restarted.',
    success: { description: 'alive', schema: healthSchema, example: { status: 'ok' } },
  },
  getReadiness: {
    summary: 'The service can take requests: database and models are there',
    description: 'Asked by a balancer before it sends traffic.',
    success: { description: 'ready', schema: healthSchema, example: { status: 'ready' } },
    errors: ['not-ready'],
  },
} satisfies Descriptions;
