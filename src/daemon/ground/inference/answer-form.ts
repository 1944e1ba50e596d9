import { z } from 'zod'

type JsonSchema = Record<string, unknown>

/** Keywords that servers refuse in schemas they keep to; our own check of the answer knows them all the same. */
const unenforced = new Set([
  ...['$schema', 'default', 'format', 'pattern', 'minLength', 'maxLength', 'minItems', 'maxItems'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
])

/**
 * A schema as servers with structured output take it: objects are closed and all of their fields required, choices are
 * `anyOf`, and limits are left to the check of the answer.
 */
export function enforceableSchema(schema: z.ZodType): JsonSchema {
  return enforceable(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })) as JsonSchema
}

function enforceable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(enforceable)
  if (typeof value !== 'object' || value === null) return value
  const { properties, oneOf, ...others } = value as JsonSchema
  const rest = Object.fromEntries(
    Object.entries(others)
      .filter(([keyword]) => !unenforced.has(keyword))
      .map(([keyword, inner]) => [keyword, enforceable(inner)]),
  )
  return {
    ...rest,
    ...(oneOf !== undefined && { anyOf: enforceable(oneOf) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties as JsonSchema).map(([name, inner]) => [name, enforceable(inner)]),
      ),
      required: Object.keys(properties as JsonSchema),
      additionalProperties: false,
    }),
  }
}

/** The same form in words, for servers that keep to none. */
export function formInWords(schema: JsonSchema): string {
  return `Answer with one JSON value of this JSON schema, and with nothing before or after it:\n${JSON.stringify(schema)}`
}

/** The JSON value in a text: all of it, or what stands in its fence; models put words around it. */
export function jsonIn(text: string): unknown {
  const fenced = /```(?:json)?\s*\n?([\s\S]*?)```/u.exec(text)?.[1]
  // Models that think aloud do so before their answer.
  const told = text.slice(text.lastIndexOf('</think>') + 1)
  const from = told.indexOf('{')
  const to = told.lastIndexOf('}')
  for (const candidate of [text, fenced, from < to ? told.slice(from, to + 1) : undefined]) {
    if (candidate === undefined) continue
    try {
      return JSON.parse(candidate)
    } catch {}
  }
  return undefined
}
