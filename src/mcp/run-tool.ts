import { ClientError } from '../client/client-error.js'
import { faultWords } from '../lib/text/fault-words.js'
import type { Call, Tool, ToolReply } from './tool/tool.js'
import { failureText } from './tool/tool-failure.js'
import { underOwnNames } from './tool/under-own-names.js'

export type ToolResult = ({ ok: true } & ToolReply) | { ok: false; text: string }

/** Runs one tool. Never throws: whatever fails becomes a text that a model can act on (mcp.md 4.9). */
export async function runTool(tool: Tool, call: Call, args: unknown): Promise<ToolResult> {
  const input = tool.input.safeParse(underOwnNames(tool, args ?? {}), { error: faultWords })
  if (!input.success) {
    const details = input.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
    return failed(tool, {
      message: `${tool.name} was called with wrong arguments`,
      code: 'validation_failed',
      details,
    })
  }
  try {
    return { ok: true, ...(await tool.run(call, input.data)) }
  } catch (error) {
    if (error instanceof ClientError) return failed(tool, error)
    return failed(tool, {
      message: `${tool.name} failed here: ${(error as Error).message}`,
      code: 'internal',
    })
  }
}

function failed({ remedies }: Tool, failure: Parameters<typeof failureText>[0]): ToolResult {
  return { ok: false, text: failureText(failure, remedies) }
}
