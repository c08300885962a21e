import type { Operation } from '../operation.ts';

export const serviceOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/v1/openapi.json',
    operationId: 'getOpenApiDocument',
    tag: 'Service',
    summary: 'This document',
    description: 'Built from the schemas that validate requests; the same as data what the reference shows to people.',
    security: 'none',
    success: { status: 200, description: 'OpenAPI 3.1', mediaType: 'application/json' },
    errors: [],
  },
  {
    method: 'get',
    path: '/healthz',
    operationId: 'getHealth',
    tag: 'Service',
    summary: 'The process is alive',
    description: 'Says nothing about the database: a process that answers need not be restarted.',
    security: 'none',
    success: { status: 200, description: 'alive', schema: 'Health', example: { status: 'ok' } },
    errors: [],
  },
  {
    method: 'get',
    path: '/readyz',
    operationId: 'getReadiness',
    tag: 'Service',
    summary: 'The service can take requests: database and models are there',
    description: 'Asked by a balancer before it sends traffic.',
    security: 'none',
    success: { status: 200, description: 'ready', schema: 'Health', example: { status: 'ready' } },
    errors: ['not-ready'],
  },
];
