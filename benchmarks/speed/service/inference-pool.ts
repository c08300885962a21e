/** The service's inference threads, by themselves. */
export { createInferencePool } from '@svc/api/testing';
