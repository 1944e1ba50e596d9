import { basename } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import * as acp from '@agentclientprotocol/sdk'
import type { AcpPermissions, TaskAcp } from '../../../contract/agents/tasks.js'
import { packageFile } from '../../../lib/files/package-root.js'
import { clip } from '../../../lib/text/clip.js'
import { isRecord } from '../../../lib/text/json-of.js'
import { unscannedLine } from '../../../lib/text/one-line.js'
import { commandWords } from '../../../lib/text/shell-words.js'
import type { Ground } from '../../ground/ground.js'
import { type GroupEnd, runGroup } from '../../platform/processes/run-group.js'
import {
  type AgentRun,
  type ExecutionEnd,
  failed,
  lastLine,
  limitWords,
  maxError,
  notStarted,
} from './harness-programs.js'

type Deps = Pick<Ground, 'paths' | 'log'>

/** Time for an agent to answer a cancellation, and to end once it has answered. */
const graceMs = 1000
/** Code of an agent that needs a login first. */
const authRequired = -32_000

/** Kinds of tools that change nothing and send nothing away. */
const readingKinds: readonly unknown[] = ['read', 'search', 'think']

/** How a conversation over ACP ended: a reason to stop, or why there is none. */
type Conclusion = { stopReason: string } | { fault: string }

/**
 * Runs a prompt in any agent that speaks the Agent Client Protocol: one session with this workspace's MCP
 * server, in the run's folder. Its answer is the output; the protocol's own end judges the run
 * (tasks.md#any-agent-over-acp).
 */
export async function runAcpAgent(deps: Deps, agent: TaskAcp, run: AgentRun): Promise<ExecutionEnd> {
  const [program, ...args] = commandWords(agent.command)
  if (program === undefined) return failed('the command of the agent is empty')
  const product = basename(program)
  const ending = endingOf(run)
  const received = new PassThrough()
  const said: { talk?: Promise<Conclusion>; complaint: string } = { complaint: '' }
  const end = await runGroup(deps, {
    command: [program, ...args],
    cwd: run.cwd,
    env: run.env,
    // The conversation ends before the group does.
    timeoutMs: run.timeoutMs + 2 * graceMs,
    signal: ending.group.signal,
    input: stdin => {
      said.talk = talk({ stdin, received, agent, run, ending, server: memoryServer(deps) })
      void said.talk.then(() => leave(stdin, ending))
    },
    onOutput: async (stream, chunk) => {
      if (stream === 'stdout') received.write(chunk)
      else said.complaint = lastLine(await run.onOutput('stderr', chunk)) || said.complaint
    },
  })
  received.end()
  ending.release()
  for (const stream of ['stdout', 'stderr'] as const) run.onEnd(stream)
  if (end.status === 'not_started') return notStarted(end, { product, program })
  return endOf(end, { ...(await said.talk), complaint: said.complaint, product, run, ending })
}

/** Closes the agent's input, after which it ends by itself or is ended. */
async function leave(stdin: Writable, { group }: Ending): Promise<void> {
  stdin.on('error', () => undefined).end()
  await sleep(graceMs, undefined, { ref: false })
  group.abort()
}

interface Ending {
  /** Aborts when the conversation must end: cancelled, or out of time. */
  conversation: AbortSignal
  /** Ends every process of the agent. */
  group: AbortController
  isTimedOut(): boolean
  release(): void
}

function endingOf({ timeoutMs, signal }: AgentRun): Ending {
  const [timer, group] = [new AbortController(), new AbortController()]
  const timeout = setTimeout(() => timer.abort(), timeoutMs)
  return {
    conversation: AbortSignal.any([signal, timer.signal]),
    group,
    isTimedOut: () => timer.signal.aborted && !signal.aborted,
    release: () => clearTimeout(timeout),
  }
}

interface Conversation {
  stdin: Writable
  received: Readable
  agent: TaskAcp
  run: AgentRun
  ending: Ending
  server: acp.McpServer
}

/** Never rejects: an agent that ends or answers with an error is a fault. */
async function talk({ stdin, received, agent, run, ending, server }: Conversation): Promise<Conclusion> {
  const writer = new AnswerWriter(text => run.onOutput('stdout', Buffer.from(text)))
  const client = acp
    .client({ name: 'memory-service' })
    .onNotification(acp.methods.client.session.update, ({ params }) => writer.add(params.update))
    // Read leniently: a newer agent may ask for kinds of tools that the SDK does not know.
    .onRequest(acp.methods.client.session.requestPermission, fieldsOf, ({ params }) => ({
      outcome: ending.conversation.aborted ? { outcome: 'cancelled' } : outcomeFor(params, agent.permissions),
    }))
  const stream = acp.ndJsonStream(
    Writable.toWeb(stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(received) as ReadableStream<Uint8Array>,
  )
  try {
    return await client.connectWith(stream, peer => prompt(peer, { run, ending, server }))
  } catch (error) {
    return { fault: faultWords(error) }
  }
}

async function prompt(
  peer: acp.ClientContext,
  { run, ending, server }: Pick<Conversation, 'run' | 'ending' | 'server'>,
): Promise<Conclusion> {
  const { conversation } = ending
  const stopped = aborted(conversation).then(() => ({ stopReason: 'cancelled' }))
  const asked = async (): Promise<Conclusion> => {
    const { protocolVersion } = await peer.request(acp.methods.agent.initialize, {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    })
    if (protocolVersion !== acp.PROTOCOL_VERSION)
      return {
        fault: `it speaks version ${protocolVersion} of ACP, and this program ${acp.PROTOCOL_VERSION}`,
      }
    const { sessionId } = await peer.request(acp.methods.agent.session.new, {
      cwd: run.cwd,
      mcpServers: [server],
    })
    const answered = peer.request(acp.methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: 'text', text: run.input }],
    })
    const cancel = () =>
      void peer.notify(acp.methods.agent.session.cancel, { sessionId }).catch(() => undefined)
    conversation.addEventListener('abort', cancel, { once: true })
    return answered.finally(() => conversation.removeEventListener('abort', cancel))
  }
  return Promise.race([asked(), stopped.then(end => sleep(graceMs, end, { ref: false }))])
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** This workspace's memory, offered to the agent's session. */
function memoryServer({ paths }: Pick<Ground, 'paths'>): acp.McpServer {
  return {
    name: 'memory',
    command: process.execPath,
    args: [packageFile('bin', 'mcp.js')],
    env: [{ name: 'SERVICE_WORKSPACE', value: paths.root }],
  }
}

/** Allows and refuses once, so that the next run asks again. */
function outcomeFor(request: Fields, permissions: AcpPermissions): Fields {
  const options = Array.isArray(request.options) ? request.options.map(fieldsOf) : []
  const isAllowed =
    permissions === 'all' ||
    (permissions === 'read' && readingKinds.includes(fieldsOf(request.toolCall).kind))
  const kinds = isAllowed ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always']
  const chosen = kinds.map(kind => options.find(option => option.kind === kind)).find(option => option)
  return chosen ? { outcome: 'selected', optionId: chosen.optionId } : { outcome: 'cancelled' }
}

/** Writes an agent's answer as it comes, and a line for each tool. */
class AnswerWriter {
  #atLineStart = true

  constructor(readonly write: (text: string) => Promise<unknown>) {}

  async add(update: acp.SessionUpdate): Promise<void> {
    if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text')
      await this.#add(update.content.text)
    if (update.sessionUpdate === 'tool_call')
      await this.#add(`${this.#atLineStart ? '' : '\n'}> ${unscannedLine(update.title, 200)}\n`)
  }

  async #add(text: string): Promise<void> {
    if (text === '') return
    this.#atLineStart = text.endsWith('\n')
    await this.write(text)
  }
}

interface EndFacts {
  stopReason?: string
  fault?: string
  complaint: string
  product: string
  run: AgentRun
  ending: Ending
}

function endOf({ status, code, gone }: GroupEnd, facts: EndFacts): ExecutionEnd {
  const { run, ending, product, complaint, stopReason, fault } = facts
  const exitCode = status === 'exited' ? code : null
  if (run.signal.aborted) return { status: 'failed', exitCode, error: String(run.signal.reason), gone }
  if (ending.isTimedOut() || status === 'timed_out')
    return { status: 'timeout', exitCode, error: limitWords(run.timeoutMs), gone }
  if (stopReason === 'end_turn') return { status: 'completed', exitCode, error: null, gone }
  const reason =
    stopReason === undefined ? (fault ?? 'it did not answer') : (stopWords[stopReason] ?? stopReason)
  const left = exitCode === null ? '' : ` (exit code ${exitCode})`
  const words = complaint === '' ? '' : `: ${complaint}`
  return {
    status: 'failed',
    exitCode,
    error: clip(`${product} failed${left}: ${reason}${words}`, maxError),
    gone,
  }
}

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {}
}

const stopWords: Readonly<Record<string, string>> = {
  max_tokens: 'it reached the limit of its tokens',
  max_turn_requests: 'it reached the limit of its requests',
  refusal: 'it refused the prompt',
  cancelled: 'it was cancelled by itself',
}

function faultWords(error: unknown): string {
  if (!(error instanceof acp.RequestError)) return 'it ended before it had answered'
  const needsLogin = error.code === authRequired
  return `${needsLogin ? 'it needs a login; start it once in a terminal: ' : ''}${unscannedLine(error.message, 300)}`
}
