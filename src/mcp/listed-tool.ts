import { z } from 'zod'
import type { BundledPlugin } from '../contract/ground/plugin-capabilities.js'
import type { Tool } from './tool/tool.js'
import type { ToolSet } from './tool-set.js'
import { toolsOf } from './tool-table.js'

/** A JSON Schema of an object. */
export interface ObjectSchema {
  [key: string]: unknown
  type: 'object'
}

/** A tool with its schemas as the protocol shows them. */
export interface ListedTool extends Pick<Tool, 'name' | 'title' | 'description' | 'effect' | 'plugin'> {
  inputSchema: ObjectSchema
  outputSchema: ObjectSchema
}

const lists = new Map<ToolSet, readonly ListedTool[]>()

/** The tools of a set with their schemas, made once a process: the HTTP server answers every request anew. */
export function listedTools(set: ToolSet): readonly ListedTool[] {
  const known = lists.get(set)
  if (known) return known
  const list = toolsOf(set).map(({ name, title, description, effect, plugin, input, output }) => ({
    name,
    title,
    description,
    effect,
    ...(plugin && { plugin }),
    inputSchema: schemaOf(input),
    outputSchema: schemaOf(output),
  }))
  lists.set(set, list)
  return list
}

/** Whether the tools of a plugin are offered now. */
export type Offers = (plugin: BundledPlugin) => boolean

/** Without the tools of plugins that are off: a model is not told of what would be refused (plugins.md 6). */
export function offered<T extends Pick<Tool, 'plugin'>>(tools: readonly T[], offers: Offers): T[] {
  return tools.filter(({ plugin }) => plugin === undefined || offers(plugin))
}

/** As callers write it: a field with a default may be left out, and further fields are ignored. */
function schemaOf(schema: z.ZodType): ObjectSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input' })
  return withoutNoise(rest) as ObjectSchema
}

/** zod states the range of safe integers, and that anything may follow; neither tells a model anything. */
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
