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
  engine: z.string().describe('the recognition engine for new lists'),
  passiveCheck: z.string().nullable().describe('the check against printed photos and screens; null: none is installed'),
  warnings: z
    .array(z.enum(modelWarnings))
    .describe(
      'how this installation falls short of the recommended one. `built-in-engine`: new lists do not use the recommended engine, which refuses fewer guests. `no-passive-check`: devices need staff watching. `old-passive-check`: the check cannot serve unattended doors',
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
    summary: 'Read this document',
    description: 'Returns this reference as an OpenAPI document, generated from the schemas that validate requests.',
    success: { description: 'OpenAPI 3.1', mediaType: 'application/json' },
  },
  getHealth: {
    summary: 'Check that the process is alive',
    description: 'Does not check the database. If it answers, the process does not need a restart.',
    success: { description: 'alive', schema: healthSchema, example: { status: 'ok' } },
  },
  getReadiness: {
    summary: 'Check that the service is ready',
    description: 'Checks the database and the models. Load balancers call it before they send traffic.',
    success: { description: 'ready', schema: readinessSchema, example: { status: 'ready', models: EXAMPLE_MODELS } },
    errors: ['not-ready'],
  },
} satisfies Descriptions;
