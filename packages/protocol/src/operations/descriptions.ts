import type * as z from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { Endpoint, Endpoints, OperationId } from './endpoints.ts';

/** A JSON body. */
export interface RequestBody {
  readonly schema: z.ZodType;
  /** False where no body at all reads as `{}`. */
  readonly required?: false;
  /** It holds photos, which are read apart from the rest (`isPhotoPointer`). */
  readonly photos?: true;
  readonly example?: unknown;
}

/** The answer where nothing went wrong. */
export interface Success {
  /** 200 where it is left out. */
  readonly status?: 200 | 201 | 202 | 204;
  readonly description: string;
  /** Of a JSON body, or of each item of a page. */
  readonly schema?: z.ZodType;
  /** Of a body that is no JSON of a component. */
  readonly mediaType?: string;
  /** What a body that is no JSON is made of: one line of NDJSON, the manifest of a sync. */
  readonly part?: z.ZodType;
  /** Other media types of the same answer, which the caller asks for with `Accept`. */
  readonly alternatives?: readonly { readonly mediaType: string; readonly part?: z.ZodType }[];
  /** Of what `schema` is of. */
  readonly example?: unknown;
  /** Header → what it says. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An operation but for its {@link Endpoint}. */
export interface Description {
  readonly summary: string;
  /** What the summary leaves open: effects, limits, what stays. */
  readonly description: string;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly request?: RequestBody;
  readonly success: Success;
  /** Codes besides those that every operation of its security, method and input may answer. */
  readonly errors?: readonly ErrorCode[];
  /** What the audit log calls it. */
  readonly audit?: string;
}

type Taken<E extends Endpoint> = E extends { readonly takes: 'body' }
  ? { readonly request: RequestBody; readonly query?: never }
  : E extends { readonly takes: 'query' | 'page' }
    ? { readonly request?: never; readonly query: z.ZodObject }
    : { readonly request?: never; readonly query?: never };

/** Descriptions of some operations, each with what its endpoint says that it takes. */
export type Descriptions = { readonly [Id in OperationId]?: Description & Taken<Endpoints[Id]> };
