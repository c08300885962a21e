import type { Request, RequestHandler, Response } from 'express';
import { expect, it, vi } from 'vitest';
import { inOrder } from './app.ts';

const request = {} as Request;
const response = {} as Response;
const pass: RequestHandler = (_request, _response, next) => next();

it('asks each in turn, then whoever comes after them', () => {
  const asked: number[] = [];
  const note =
    (index: number): RequestHandler =>
    (_request, _response, next) => {
      asked.push(index);
      next();
    };
  const done = vi.fn(() => asked.push(0));
  void inOrder(note(1), note(2), note(3))(request, response, done);
  expect(asked).toEqual([1, 2, 3, 0]);
  expect(done.mock.calls).toEqual([[]]);
});

it('asks nobody after one that refuses or answers', () => {
  const refusal = new Error('refused');
  const after = vi.fn(pass);
  const done = vi.fn();
  void inOrder(pass, (_request, _response, next) => next(refusal), after)(request, response, done);
  expect(done.mock.calls).toEqual([[refusal]]);
  const throws: RequestHandler = () => {
    throw refusal;
  };
  expect(() => inOrder(pass, throws, after)(request, response, done)).toThrow(refusal);
  void inOrder(pass, () => undefined, after)(request, response, done);
  expect(after).not.toHaveBeenCalled();
  expect(done).toHaveBeenCalledOnce();
});

it('hands on what one rejects with', async () => {
  const refusal = new Error('refused');
  const done = vi.fn();
  void inOrder(pass, () => Promise.reject(refusal))(request, response, done);
  await vi.waitFor(() => expect(done.mock.calls).toEqual([[refusal]]));
});
