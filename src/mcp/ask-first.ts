import { createHash } from 'node:crypto'
import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js'
import { isRecord } from '../lib/text/json-of.js'
import { oneLine } from '../lib/text/one-line.js'
import type { AskServer, Reply } from './modern/envelope.js'
import { readArguments } from './tool/read-arguments.js'
import type { Question } from './tool/tool.js'
import { answeredTools } from './tool-table.js'

const questionName = 'confirm'
const memoryLength = 120

/**
 * Asks the user before tools that say so, in clients that can ask: the first reply is the question, and the
 * client sends the request again with the answer. Its state ties the answer to the arguments.
 */
export async function askFirst(
  request: JSONRPCRequest,
  capabilities: Readonly<Record<string, unknown>>,
  ask: AskServer,
): Promise<Reply> {
  const { inputResponses, requestState, ...params } = (request.params ?? {}) as Record<string, unknown>
  const run = () => ask({ ...request, params })
  const question = canAsk(capabilities) && request.method === 'tools/call' ? questionOf(params) : undefined
  if (question === undefined) return run()
  const state = stateOf(params)
  const answer = isRecord(inputResponses) && requestState === state ? inputResponses[questionName] : undefined
  if (!isRecord(answer)) return { result: questionResult(await messageOf(question, ask), state) }
  return answer.action === 'accept' ? run() : { result: refusal }
}

/** A client with forms names none or `form`; one with links alone names `url`. */
function canAsk({ elicitation }: Readonly<Record<string, unknown>>): boolean {
  return isRecord(elicitation) && (elicitation.form !== undefined || elicitation.url === undefined)
}

function questionOf(params: unknown): Question | undefined {
  const { name, arguments: given } = (params ?? {}) as Record<string, unknown>
  const tool = answeredTools('all').find(each => each.name === name)
  if (!tool?.question) return undefined
  // Invalid arguments are the tool's to report.
  const { success, data } = tool.input.safeParse(readArguments(tool.input, given ?? {}))
  return success ? tool.question(data as never) : undefined
}

/** Adds the beginnings of memories, since ids say nothing to a person. */
async function messageOf({ text, memories = [] }: Question, ask: AskServer): Promise<string> {
  const lines = await Promise.all(
    memories.map(async id => {
      const params = { name: 'memory_get', arguments: { id } }
      const reply = await ask({ jsonrpc: '2.0', id: `${questionName}:${id}`, method: 'tools/call', params })
      const data = 'result' in reply ? reply.result.structuredContent : undefined
      return `- ${isRecord(data) ? oneLine(String(data.content), memoryLength) : `unknown: ${id}`}`
    }),
  )
  return [text, ...lines].join('\n')
}

function stateOf(params: unknown): string {
  const { name, arguments: given } = (params ?? {}) as Record<string, unknown>
  return createHash('sha256')
    .update(JSON.stringify([name, given]))
    .digest('base64url')
}

function questionResult(message: string, requestState: string): Record<string, unknown> {
  const requestedSchema = { type: 'object', properties: {} }
  return {
    resultType: 'input_required',
    inputRequests: {
      [questionName]: { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } },
    },
    requestState,
  }
}

const refusal = {
  content: [{ type: 'text', text: 'The user said no. Do not try again unless they ask for it.' }],
  isError: true,
}
