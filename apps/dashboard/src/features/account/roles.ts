import type { AnswerOf } from '../../api/operations.ts';

export type Role = AnswerOf<'getSession'>['user']['role'];

/** The roles, the one with most rights first. */
export const roles = ['owner', 'manager', 'door', 'auditor'] as const satisfies readonly Role[];
