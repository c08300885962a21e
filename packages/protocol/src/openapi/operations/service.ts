import type { Operation } from '../operation.ts';

export const serviceOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/v1/openapi.json',
    operationId: 'getOpenApiDocument',
    tag: 'Service',
    summary: 'This document',
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
    security: 'none',
    success: { status: 200, description: 'alive', mediaType: 'application/json' },
    errors: [],
  },
  {
    method: 'get',
    path: '/readyz',
    operationId: 'getReadiness',
    tag: 'Service',
    summary: 'The service can take requests: database and models are there',
    security: 'none',
    success: { status: 200, description: 'ready', mediaType: 'application/json' },
    errors: ['not-ready'],
  },
];
