import * as z from 'zod';
import { responseSchemas } from '../common.ts';
import type { Descriptions } from './descriptions.ts';

/** Answer to a load balancer when the service is healthy; otherwise a problem is answered. */
const healthSchema = z.object({ status: z.literal('ok') }).register(responseSchemas, { id: 'Health' });

/** In what the installed models are weaker than the recommended ones. */
const modelWarnings = ['built-in-engine', 'no-passive-check', 'old-passive-check'] as const;
export type ModelWarning = (typeof modelWarnings)[number];

/** What recognises people and tells them from pictures, on the node that answers. */
export const servingModelsSchema = z.object({
  engine: z.string().describe('the recognition engine of new lists'),
  passiveCheck: z.string().nullable().describe('the check against photos and screens; null: none is installed'),
  warnings: z
    .array(z.enum(modelWarnings))
    .describe(
      'built-in-engine: the recommended engine, which refuses fewer guests, is not the one of new lists; no-passive-check: devices need staff in view; old-passive-check: it cannot serve unattended doors',
    ),
});
export type ServingModels = z.infer<typeof servingModelsSchema>;

const readinessSchema = z
  .object({ status: z.literal('ready'), models: servingModelsSchema })
  .register(responseSchemas, { id: 'Readiness' });

export const EXAMPLE_MODELS = {
  engine: 'retail-0095-mirror/4',
  passiveCheck: 'minifasnet',
  warnings: [],
} as const satisfies ServingModels;

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
    success: { description: 'ready', schema: readinessSchema, example: { status: 'ready', models: EXAMPLE_MODELS } },
    errors: ['not-ready'],
  },
} satisfies Descriptions;
