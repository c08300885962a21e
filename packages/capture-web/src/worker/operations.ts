import type { FaceErrorCode } from '@svc/core';

/** Operations of a worker by name, with their arguments and results. */
export type Operations<Names extends PropertyKey = string> = {
  readonly [Name in Names]: { readonly ask: unknown; readonly answer: unknown };
};

/** Request of an operation. */
export type AskOf<Ops extends Operations<keyof Ops>, Name extends keyof Ops> = Ops[Name]['ask'];
/** Answer of an operation. */
export type AnswerOf<Ops extends Operations<keyof Ops>, Name extends keyof Ops = keyof Ops> = Ops[Name]['answer'];

/** Page to worker. */
export type WorkerRequest<Ops extends Operations<keyof Ops>> = {
  readonly [Name in keyof Ops]: { readonly id: number; readonly name: Name; readonly ask: Ops[Name]['ask'] };
}[keyof Ops];

/** Worker to page. */
export type WorkerAnswer<Ops extends Operations<keyof Ops>> =
  | { readonly id: number; readonly answer: AnswerOf<Ops> }
  | { readonly id: number; readonly error: { readonly code: FaceErrorCode; readonly message: string } };
