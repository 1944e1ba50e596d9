import type { ServerResponse } from 'node:http'
import type { ExecutionContext } from 'ava'
import { pino } from 'pino'
import { settings } from '../../src/contract/settings.js'
import { SessionCosts } from '../../src/daemon/ground/inference/accounting.js'
import type { LedgerDeps } from '../../src/daemon/platform/inference/ledger.js'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { openStore } from '../../src/store/sqlite/database.js'
import { migratedWorkspace } from './daemon.js'
import { type FakeRequest, type HttpFake, sendJson, startHttpFake } from './embedding-fakes.js'

/** Dependencies of the model call ledger: a test database, without other parts of a daemon. */
export function ledgerDeps(t: ExecutionContext, clock: () => Date): LedgerDeps {
  const workspace = migratedWorkspace(t)
  const paths = workspacePaths(workspace)
  const store = openStore(paths.database, clock())
  t.teardown(() => store.close())
  return {
    store,
    paths,
    clock,
    log: pino({ level: 'silent' }),
    sessionCosts: new SessionCosts(),
    environment: {},
    configuration: () => ({ settings: settings.parse({}), problems: [] }),
  }
}

/** Handles one request of a fake model. */
export type ModelBehaviour = (request: FakeRequest, response: ServerResponse) => void

export interface FakeModel extends HttpFake {
  /** The received requests, parsed. */
  asked(): AskedModel[]
  /** Changes the behaviour for later requests. */
  behave(behaviour: ModelBehaviour): void
}

/** The parts of a request that tests inspect, in either protocol. */
export interface AskedModel {
  model: string
  /** Our instructions, and the text they apply to. */
  instructions: string
  input: string
  hasForm: boolean
}

/** A server with OpenAI's `/chat/completions` and Anthropic's `/messages` that answers with `behaviour`. */
export async function startModel(t: ExecutionContext, behaviour: ModelBehaviour): Promise<FakeModel> {
  let currentBehaviour = behaviour
  const fake = await startHttpFake(t, (request, response) => currentBehaviour(request, response))
  return {
    ...fake,
    asked: () => fake.requests.map(askedOf),
    behave: next => {
      currentBehaviour = next
    },
  }
}

export function askedOf({ body }: FakeRequest): AskedModel {
  const { model, system, messages, response_format, tools } = JSON.parse(body) as {
    model: string
    system?: string
    messages: { role: string; content: string }[]
    response_format?: object
    tools?: object[]
  }
  const said = (role: string) => messages.find(message => message.role === role)?.content ?? ''
  return {
    model,
    instructions: system ?? said('system'),
    input: said('user'),
    hasForm: response_format !== undefined || tools !== undefined,
  }
}

export interface AnswerOptions {
  /** Reported token usage; none when null. */
  usage?: object | null
  finish?: string
  refusal?: string
}

/** Answers like OpenAI: `answer` as JSON, or a text unchanged. */
export function openaiAnswer(
  answer: unknown,
  { usage = { prompt_tokens: 100, completion_tokens: 20 }, finish = 'stop', refusal }: AnswerOptions = {},
): ModelBehaviour {
  const content = typeof answer === 'string' ? answer : JSON.stringify(answer)
  const message = { role: 'assistant', content, ...(refusal !== undefined && { refusal }) }
  return (_, response) =>
    sendJson(response, 200, { choices: [{ index: 0, message, finish_reason: finish }], usage })
}

/** Answers like Anthropic with a tool call. */
export function anthropicAnswer(
  answer: unknown,
  usage: object = { input_tokens: 100, output_tokens: 20 },
): ModelBehaviour {
  const call = { type: 'tool_use', id: 't', name: 'answer', input: answer }
  return (_, response) => sendJson(response, 200, { content: [call], stop_reason: 'tool_use', usage })
}

/** Fails with a status and a message that contains the request and its token, which must not be logged. */
export function failing(status: number, headers = {}): ModelBehaviour {
  return (request, response) =>
    sendJson(
      response,
      status,
      { error: { message: `no: ${request.body} ${request.headers.authorization}` } },
      headers,
    )
}

/** Never answers. */
export const silent: ModelBehaviour = () => undefined

/** Sends an endless answer slowly. */
export const endless: ModelBehaviour = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write('{"choices": [ '), 5)
  response.once('close', () => clearInterval(timer))
}

/** Sends an endless answer as fast as possible. */
export const flooding: ModelBehaviour = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const piece = ' '.repeat(64 * 1024)
  const pour = (): void => {
    while (!response.destroyed && response.write(piece));
  }
  response.on('drain', pour)
  pour()
}
