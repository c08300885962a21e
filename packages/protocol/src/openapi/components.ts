import * as z from 'zod';
import { answered, sent } from '../operations/common.ts';

/** Component name of a registered schema. @throws Error when it is not registered */
export function componentName(schema: z.ZodType): string {
  const name = sent.get(schema)?.id ?? answered.get(schema)?.id;
  if (name === undefined) throw new Error('the schema is no component of the document');
  return name;
}

/** Reference to a component. */
export const componentRef = (schema: z.ZodType) => ({ $ref: `#/components/schemas/${componentName(schema)}` });

function toComponents(registry: typeof sent, io: 'input' | 'output'): Record<string, object> {
  const { schemas } = z.toJSONSchema(registry, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'throw',
    uri: (id) => `#/components/schemas/${id}`,
    // Answers may get more fields in later versions, so unknown fields are allowed there; requests must not have any.
    override: ({ jsonSchema }) => {
      // Members of any name have a schema of their own.
      if (io === 'input' && jsonSchema.type === 'object') jsonSchema.additionalProperties ??= false;
      else if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _dialect, $id: _id, id: _name, ...schema }]) => [id, schema]),
  );
}

/** `components.schemas` by name, generated from the schemas that validate requests and describe answers. */
export function buildComponents(): Record<string, object> {
  const all = { ...toComponents(sent, 'input'), ...toComponents(answered, 'output') };
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
}
