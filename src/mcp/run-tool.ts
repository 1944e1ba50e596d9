import { z } from 'zod'
import { ClientError } from '../client/http/client-error.js'
import { faultWords } from '../lib/text/fault-words.js'
import type { Call, Tool, ToolReply } from './tool/tool.js'
import { failureText } from './tool/tool-failure.js'

const known = new WeakMap<Tool['input'], readonly string[]>()

export type ToolResult = ({ ok: true } & ToolReply) | { ok: false; text: string }

/** Runs one tool. Never throws: every failure becomes a text that a model can act on (mcp.md 4.9). */
export async function runTool(tool: Tool, call: Call, args: unknown): Promise<ToolResult> {
  const input = tool.input.safeParse(underOwnNames(tool, args ?? {}), { error: faultWords })
  if (!input.success) {
    const details = input.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
    return failed(tool, {
      message: `${tool.name}: invalid arguments`,
      code: 'validation_failed',
      details,
    })
  }
  try {
    return { ok: true, ...(await tool.run(call, input.data)) }
  } catch (error) {
    if (error instanceof ClientError) return failed(tool, error)
    return failed(tool, {
      message: `${tool.name} failed: ${(error as Error).message}`,
      code: 'internal',
    })
  }
}

function failed({ remedies }: Tool, failure: Parameters<typeof failureText>[0]): ToolResult {
  return { ok: false, text: failureText(failure, remedies) }
}

/**
 * Renames arguments to the tool's spelling: some replies have a `sessionKey`, and a model may copy it to the
 * argument `session_key`.
 */
function underOwnNames({ input }: Pick<Tool, 'input'>, given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  const names = namesOf(input)
  const ownName = (name: string) =>
    names.includes(name)
      ? name
      : (names.find(own => inOneWord(own) === inOneWord(name) && !(own in given)) ?? name)
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [ownName(name), value]))
}

function namesOf(input: Tool['input']): readonly string[] {
  const names = known.get(input) ?? Object.keys(z.toJSONSchema(input, { io: 'input' }).properties ?? {})
  known.set(input, names)
  return names
}

function inOneWord(name: string): string {
  return name.replaceAll('_', '').toLowerCase()
}
