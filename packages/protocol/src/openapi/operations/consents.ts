import type { Operation } from '../operation.ts';

export const consentOperations: readonly Operation[] = [];
