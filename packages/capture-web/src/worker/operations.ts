import type { FaceErrorCode } from '@svc/core';

/** What a worker can be asked, by name, and with what it answers. */
export type Operations<Names extends PropertyKey = string> = {
  readonly [Name in Names]: { readonly ask: unknown; readonly answer: unknown };
};

export type AskOf<Ops extends Operations<keyof Ops>, Name extends keyof Ops> = Ops[Name]['ask'];
export type AnswerOf<Ops extends Operations<keyof Ops>, Name extends keyof Ops = keyof Ops> = Ops[Name]['answer'];

/** To the worker. */
export type WorkerRequest<Ops extends Operations<keyof Ops>> = {
  readonly [Name in keyof Ops]: { readonly id: number; readonly name: Name; readonly ask: Ops[Name]['ask'] };
}[keyof Ops];

/** From the worker. */
export type WorkerAnswer<Ops extends Operations<keyof Ops>> =
  | { readonly id: number; readonly answer: AnswerOf<Ops> }
  | { readonly id: number; readonly error: { readonly code: FaceErrorCode; readonly message: string } };
