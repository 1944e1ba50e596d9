import { z } from 'zod'
import type { BundledPlugin } from '../contract/ground/plugin-capabilities.js'
import type { Tool } from './tool/tool.js'
import type { ToolSet } from './tool-set.js'
import { toolsOf } from './tool-table.js'

interface JsonSchema {
  [word: string]: unknown
  properties?: Readonly<Record<string, JsonSchema>>
  items?: JsonSchema
}

/** A JSON Schema of an object. */
export interface ObjectSchema extends JsonSchema {
  type: 'object'
}

/** A tool with its schemas in the form of the protocol. */
export interface ListedTool extends Pick<Tool, 'name' | 'title' | 'description' | 'effect' | 'plugin'> {
  inputSchema: ObjectSchema
  outputSchema: ObjectSchema
}

const lists = new Map<ToolSet, readonly ListedTool[]>()

/**
 * Returns the tools of a set with their schemas, which are cached because the HTTP server creates a new
 * protocol server for every request.
 */
export function listedTools(set: ToolSet): readonly ListedTool[] {
  const known = lists.get(set)
  if (known) return known
  const list = toolsOf(set).map(listedTool)
  lists.set(set, list)
  return list
}

/** Returns one tool with its schemas. */
export function listedTool({ name, title, description, effect, plugin, input, output }: Tool): ListedTool {
  return {
    name,
    title,
    description,
    effect,
    ...(plugin && { plugin }),
    inputSchema: inWords(schemaOf(input)) as ObjectSchema,
    outputSchema: withoutNoise(schemaOf(output)) as ObjectSchema,
  }
}

/** Returns true if the tools of a plugin are currently offered. */
export type Offers = (plugin: BundledPlugin) => boolean

/** Removes the tools of disabled plugins, whose calls would be rejected (plugins.md 6). */
export function offeredTools<T extends Pick<Tool, 'plugin'>>(tools: readonly T[], offers: Offers): T[] {
  return tools.filter(({ plugin }) => plugin === undefined || offers(plugin))
}

/** Returns the schema for callers: fields with defaults are optional, and additional fields are ignored. */
function schemaOf(schema: z.ZodType): ObjectSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input' })
  return rest as ObjectSchema
}

/** The words that every converter of schemas takes; one unknown word makes some refuse the whole list. */
const words = new Set(['type', 'description', 'enum', 'required'])

/** Returns an input schema in these words alone; the tool itself checks ranges and lengths. */
function inWords(schema: JsonSchema): JsonSchema {
  const { properties, items } = schema
  return {
    ...Object.fromEntries(
      Object.entries(schema).filter(([word]) => words.has(word) && !(word === 'enum' && schema.lists)),
    ),
    ...(items && { items: inWords(items) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, inWords(property)]),
      ),
    }),
  }
}

/**
 * Removes the range of safe integers and the permission of additional properties, which do not help a model.
 */
function withoutNoise(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNoise)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(
    ([key, child]) =>
      Math.abs(Number(child)) !== Number.MAX_SAFE_INTEGER &&
      !(key === 'additionalProperties' && typeof child === 'object'),
  )
  return Object.fromEntries(kept.map(([key, child]) => [key, withoutNoise(child)]))
}
