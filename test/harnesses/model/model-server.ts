import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { anthropic } from './anthropic.js'
import { chatCompletions } from './chat-completions.js'
import type { Answer, Conversation, OfferedTool, Wire } from './conversation.js'
import { gemini } from './gemini.js'
import { responses } from './responses.js'

const wires: readonly Wire[] = [anthropic, responses, chatCompletions, gemini]

/** The model's answers to a prompt, in order; each call is followed by its result. */
export interface Turn {
  prompt: string
  answers: readonly ModelAnswer[]
}

/**
 * Tools have the names of our server; agents offer them under names that end in these. An input may depend on
 * the result of the call before.
 */
export type ModelAnswer =
  | { say: string }
  | { call: string; input: object | ((resultBefore: string) => object) }

export interface AskedModel extends Conversation {
  /** The request as received by the model. */
  body: string
  /** True for a request of the expected turn; false for side questions, such as one for a title. */
  isTurn: boolean
}

export interface ModelServer {
  /** `http://127.0.0.1:PORT` */
  origin: string
  /** Sets the expected turn; without one the model answers every request with the summary. */
  expect(turn: Turn | undefined): void
  /** Requests since the last `expect`, oldest first. */
  asked(): readonly AskedModel[]
  /** Requests without a known answer, as `METHOD path`. */
  unknown(): readonly string[]
  close(): Promise<void>
}

/**
 * A model on loopback that speaks the protocols of four providers and follows a script. The tool results
 * after the prompt determine the next answer of a turn, so the server keeps no state.
 * @param summary answer when no turn is expected, as in a compaction
 */
export async function startModelServer({
  summary,
  folder,
}: {
  summary: string
  folder: string
}): Promise<ModelServer> {
  const state = {
    turn: undefined as Turn | undefined,
    asked: [] as AskedModel[],
    unknown: new Set<string>(),
    count: 0,
  }
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    const body = await bodyOf(request)
    const wire = wires.find(each => each.takes(path))
    const beside = wires.map(each => each.beside?.(path)).find(found => found !== undefined)
    if (beside !== undefined) return void response.end(JSON.stringify(beside))
    if (!wire || request.method !== 'POST') {
      state.unknown.add(`${request.method} ${path}`)
      response.statusCode = 404
      return void response.end('{"error":{"message":"not found"}}')
    }
    const value: unknown = JSON.parse(body)
    const conversation = wire.read(value)
    writeFileSync(
      join(folder, `${String(++state.count).padStart(3, '0')}.json`),
      JSON.stringify(value, null, 2),
    )
    const answer = answerTo({ ...conversation, body }, state.turn, summary)
    state.asked.push({ ...conversation, body, isTurn: answer.isTurn })
    const { type, text } = wire.answer(answer.next, {
      body: value,
      path,
      id: `${Date.now()}${state.asked.length}`,
    })
    response.setHeader('content-type', type)
    response.end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    expect(turn) {
      state.turn = turn
      state.asked = []
    },
    asked: () => state.asked,
    unknown: () => [...state.unknown],
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function answerTo(
  { entries, tools, body }: Conversation & { body: string },
  turn: Turn | undefined,
  summary: string,
): { next: Answer; isTurn: boolean } {
  if (!turn) return { next: { say: summed(summary, body) }, isTurn: false }
  const at = entries.findLastIndex(({ role, text }) => role === 'user' && text.includes(turn.prompt))
  if (at < 0 || tools.length === 0) return { next: { say: 'A side question.' }, isTurn: false }
  const called = entries.slice(at).filter(({ role }) => role === 'call')
  const own = called.filter(({ text }) => !isToolSearch(text))
  const next = turn.answers[own.length] ?? { say: 'Nothing more.' }
  if ('say' in next) return { next, isTurn: true }
  const { call } = next
  const result = entries.findLast(({ role }) => role === 'result')?.text ?? ''
  const input = typeof next.input === 'function' ? next.input(result) : next.input
  return {
    next: calling({ call, input }, { tools, body, found: called.at(-1) === own.at(-1) ? undefined : result }),
    isTurn: true,
  }
}

/**
 * Requests the schema of a tool that is offered by name only. A tool that is not offered at all is called by
 * its plain name: the agent then reports that it is unknown.
 * @param found result of a search for the tool, if that was the last call
 */
function calling(
  { call, input }: { call: string; input: object },
  { tools, body, found }: { tools: readonly OfferedTool[]; body: string; found: string | undefined },
): Answer {
  const tool = tools.find(({ name }) => isTool(name, call))
  if (tool) return { call: tool.name, ...(tool.group !== undefined && { group: tool.group }), input }
  const name = deferredName(body, call)
  const search = tools.find(each => isToolSearch(each.name))
  const proxy = tools.find(each => each.name === 'use_tool')
  if (search && proxy) return byProxy({ call, input }, { search, proxy, found })
  if (name === undefined || !search || found !== undefined) return { call: name ?? call, input }
  return { call: search.name, input: { query: `select:${name}` } }
}

/** Grok Build offers no tools of servers: it has one tool that finds them, and one that calls them. */
function byProxy(
  { call, input }: { call: string; input: object },
  { search, proxy, found }: { search: OfferedTool; proxy: OfferedTool; found: string | undefined },
): Answer {
  // A server may still be starting.
  if (found === undefined || /"status": ?"partial"/u.test(found))
    return { call: search.name, input: { query: `memory ${call}` } }
  const name = new RegExp(`[a-z][\\w-]*__${call}\\b`, 'u').exec(found)?.[0] ?? call
  return { call: proxy.name, input: { tool_name: name, tool_input: input } }
}

function isToolSearch(name: string): boolean {
  return /^(?:tool_?search|search_tool)$/iu.test(name)
}

/** The name under which a request mentions one of our tools without its schema. */
export function deferredName(body: string, own: string): string | undefined {
  return new RegExp(`mcp_[\\w-]*_${own}\\b`, 'u').exec(body)?.[0]
}

/** Elements that agents expect in a summary: thoughts, and the summary itself. */
const elements = [
  ['scratchpad', 'state_snapshot'],
  ['analysis', 'summary'],
] as const

/** Wraps the summary in the elements that the agent asks for. */
function summed(summary: string, body: string): string {
  const [thoughts, element] = elements.find(([, name]) => body.includes(`<${name}>`)) ?? []
  return element === undefined
    ? summary
    : `<${thoughts}>Two questions.</${thoughts}>\n<${element}>\n${summary}\n</${element}>`
}

/** True when an agent's tool name matches ours: agents prefix the server's name. */
export function isTool(offered: string, own: string): boolean {
  return offered === own || new RegExp(`[^a-zA-Z0-9]${own}$`, 'u').test(offered)
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString('utf8')
}
