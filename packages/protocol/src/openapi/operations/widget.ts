import type { Operation } from '../operation.ts';

export const widgetOperations: readonly Operation[] = [];
