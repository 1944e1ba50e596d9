import { ClientError } from '../client/http/client-error.js'
import { faultWords } from '../lib/text/fault-words.js'
import { readArguments } from './tool/read-arguments.js'
import type { Call, Tool, ToolReply } from './tool/tool.js'
import { failureText } from './tool/tool-failure.js'

export type ToolResult = ({ ok: true } & ToolReply) | { ok: false; text: string }

/** Runs one tool. Never throws: every failure becomes a text that a model can act on (mcp.md 4.9). */
export async function runTool(tool: Tool, call: Call, args: unknown): Promise<ToolResult> {
  const input = tool.input.safeParse(readArguments(tool.input, args ?? {}), { error: faultWords })
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
