import type { z } from 'zod'

interface Shaped {
  shape?: Record<string, z.ZodType>
  unwrap?: () => z.ZodType
}

/** Every dotted key of a settings schema that holds a value, in order: `daemon.port` and so on. */
export function settingKeys(schema: z.ZodType, prefix: readonly string[] = []): string[] {
  const shape = shapeOf(schema)
  if (!shape) return [prefix.join('.')]
  return Object.entries(shape).flatMap(([key, inner]) => settingKeys(inner, [...prefix, key]))
}

/** The fields of an object schema, through its defaults and optional wrappers. */
function shapeOf(schema: z.ZodType): Record<string, z.ZodType> | undefined {
  const { shape, unwrap } = schema as Shaped
  if (shape) return shape
  return unwrap ? shapeOf(unwrap.call(schema)) : undefined
}
