import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Message } from '../../src/contract/agents/messages.js'
import { type Deferred, deferred } from '../../src/lib/concurrency/deferred.js'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { type DaemonProcess, type Scope, spawnDaemon } from '../helpers/daemon-process.js'
import { type HttpFake, sendJson, startHttpFake } from '../helpers/embedding-fakes.js'
import { openRaw } from '../helpers/store.js'
import { agentsOf, checkInboxes, checkRelays, type Exchange, type Plan, planOf } from './message-plan.js'

export interface MessageKillsOptions {
  /** An empty folder. */
  workspace: string
  agents: number
  messages: number
  /** Maximum milliseconds between the start of the daemon and a kill, until everything is sent and read. */
  withinMs: number
  /** Maximum number of kills. */
  kills: number
}

export interface MessageKillsResult {
  kills: number
  messages: number
  acknowledged: number
  /** Relays that a kill left between two states. */
  indeterminate: number
  /** Sends and acknowledgements that a kill left without an answer. */
  unanswered: number
  /** Descriptions of the faults. */
  faults: string[]
}

/**
 * Agents exchange messages with each other, with all, and with a fake for another server, and acknowledge
 * them. The built daemon is killed at random moments. Each message must exist once, each acknowledgement as
 * answered, and no message may be relayed twice automatically (messages.md#how-this-is-proven).
 */
export async function runMessageKills(
  scope: Scope,
  options: MessageKillsOptions,
): Promise<MessageKillsResult> {
  const server = await startHttpFake(scope, ({ headers }, response) => {
    const run = { run_id: String(headers['idempotency-key']), agent_name: 'scribe', status: 'completed' }
    setTimeout(() => sendJson(response, 200, run), 20)
  })
  writeFileSync(
    join(options.workspace, 'agent.yaml'),
    'embedding: { provider: none }\nmessages: { allowPrivateHosts: true }\n',
  )
  return new MessageKills(scope, options, server).run()
}

/** The connection broke, so the result is unknown. */
class NoAnswer extends Error {}

class MessageKills {
  readonly #plan: Plan
  readonly #exchange: Exchange = { sent: new Map(), acknowledged: new Map(), faults: [] }
  readonly #counts = { kills: 0, indeterminate: 0, unanswered: 0 }
  #up: Deferred<string> = deferred()
  #allSent = false

  constructor(
    readonly scope: Scope,
    readonly options: MessageKillsOptions,
    readonly server: HttpFake,
  ) {
    this.#plan = planOf(options)
  }

  async run(): Promise<MessageKillsResult> {
    const working = this.#work()
    let isOver = false
    void working.finally(() => {
      isOver = true
    })
    let daemon = await this.#start()
    while (!isOver && this.#counts.kills < this.options.kills) {
      await sleep(Math.random() * this.options.withinMs)
      if (isOver) break
      this.#up = deferred()
      daemon.child.kill('SIGKILL')
      await daemon.exited
      this.#counts.kills++
      daemon = await this.#start()
    }
    await working
    const ask = (path: string) => this.#ask('GET', path)
    await checkInboxes(ask, this.#plan, this.#exchange)
    await this.#checkFull()
    await checkRelays(ask, this.#plan, { exchange: this.#exchange, requests: this.server.requests })
    daemon.child.kill('SIGTERM')
    await daemon.exited
    const acknowledged = this.#checkStored()
    return { ...this.#counts, messages: this.#plan.length, acknowledged, faults: this.#exchange.faults }
  }

  async #start(): Promise<DaemonProcess> {
    const daemon = spawnDaemon(this.scope, this.options.workspace, { SERVICE_NO_AUTOSTART: '1' })
    this.#up.resolve((await daemon.ready()).url)
    return daemon
  }

  async #work(): Promise<void> {
    const agents = agentsOf(this.options.agents)
    const sending = Promise.all(agents.map(agent => this.#sendAll(agent))).then(() => {
      this.#allSent = true
    })
    await Promise.all([sending, ...agents.map(agent => this.#readAll(agent))])
  }

  async #sendAll(agent: string): Promise<void> {
    for (const { from, content, body } of this.#plan) {
      if (from !== agent) continue
      const since = new Date().toISOString()
      let message: Message | undefined
      while (!message)
        try {
          message = await this.#ask('POST', '', { content, from_agent_id: agent, ...this.#addressed(body) })
        } catch (error) {
          if (!(error instanceof NoAnswer)) throw error
          // The message is sent again only if the list of sent messages does not contain it.
          message = await this.#findSettled(agent, content, since)
        }
      this.#exchange.sent.set(content, message.id)
      if (message.deliveryState === 'indeterminate') await this.#retry(message)
    }
  }

  #addressed(body: object) {
    return 'via' in body ? { ...body, acp_base_url: this.server.url } : body
  }

  /** A restarted daemon settles relays after it has started to serve requests. */
  async #findSettled(agent: string, content: string, since: string): Promise<Message | undefined> {
    for (;;) {
      const found = await this.#findSent(agent, content, since)
      if (found?.deliveryState !== 'pending' && found?.deliveryState !== 'in_flight') return found
      await sleep(20)
    }
  }

  async #findSent(agent: string, content: string, since: string): Promise<Message | undefined> {
    const query = `?agent_id=${agent}&include_sent=true&limit=100&since=${since}`
    for (let offset = 0; ; offset += 100) {
      const { items, hasMore } = await this.#askAgain('GET', `${query}&offset=${offset}`)
      const found = (items as Message[]).find(one => one.fromAgentId === agent && one.content === content)
      if (found || !hasMore) return found
    }
  }

  /** Retries manually, like a person, until the message arrived or is refused. */
  async #retry({ id, fromAgentId: agent_id }: Message): Promise<void> {
    this.#counts.indeterminate++
    for (;;)
      try {
        const { deliveryState, status } = await this.#ask('POST', `/${id}/retry`, { agent_id })
        if (deliveryState === 'delivered' || status === 409) return
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error
      }
  }

  /** Reads and acknowledges messages until everything was sent and read. */
  async #readAll(agent: string): Promise<void> {
    for (let isLast = false; ; ) {
      isLast = this.#allSent
      const { items } = await this.#askAgain('GET', `?agent_id=${agent}&unread_only=true&limit=100`)
      for (const { id } of items as Message[]) await this.#acknowledge(agent, id)
      if ((items as Message[]).length === 0 && isLast) return
      if ((items as Message[]).length === 0) await sleep(50)
    }
  }

  async #acknowledge(agent: string, id: string): Promise<void> {
    let isUnanswered = false
    for (;;)
      try {
        const { acknowledgedAt, alreadyAcknowledged } = await this.#ask('POST', `/${id}/ack`, {
          agent_id: agent,
        })
        if (alreadyAcknowledged && !isUnanswered)
          this.#exchange.faults.push(`${id} was already acknowledged before ${agent} did it`)
        this.#exchange.acknowledged.set(`${agent} ${id}`, acknowledgedAt)
        return
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error
        isUnanswered = true
      }
  }

  /** Reads can be repeated until they are answered. */
  async #askAgain(method: string, path: string) {
    for (;;)
      try {
        return await this.#ask(method, path)
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error
      }
  }

  // biome-ignore lint/suspicious/noExplicitAny: replies of several routes
  async #ask(method: string, path: string, body?: object): Promise<any> {
    const url = await this.#up.promise
    const answer = await fetch(`${url}/api/cross-agent/messages${path}`, {
      method,
      // The daemon may close a kept-alive connection just when it is reused.
      headers: { connection: 'close', ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
      .then(async response => {
        // biome-ignore lint/suspicious/noExplicitAny: replies of several routes
        const body = (await response.json()) as any
        return { ok: response.ok, status: response.status, body }
      })
      .catch(async () => {
        if (method === 'POST') this.#counts.unanswered++
        await sleep(20)
        throw new NoAnswer()
      })
    if (answer.ok) return answer.body
    if (answer.status !== 429 && answer.status !== 409)
      this.#exchange.faults.push(`${method} ${path} answered ${answer.status}: ${answer.body.error}`)
    return { status: answer.status, ...answer.body }
  }

  /** At the end the inboxes are full; the daemon must refuse a further message rather than discard one. */
  async #checkFull(): Promise<void> {
    const { capacity } = await this.#ask('GET', '?limit=1')
    const { faults } = this.#exchange
    if (capacity.live !== this.#plan.length) faults.push(`${capacity.live} messages are stored`)
    if (capacity.live < capacity.limit) return
    const { status } = await this.#ask('POST', '', { content: 'one more', to_agent_id: 'agent-0' })
    if (status !== 429) faults.push(`a message to full inboxes got status ${status}`)
  }

  /** @returns the number of acknowledgements */
  #checkStored(): number {
    const database = openRaw(this.scope, workspacePaths(this.options.workspace).database)
    const count = (query: string): number =>
      database.prepare<[], { count: number }>(`SELECT count(*) AS count FROM ${query}`).get()?.count ?? 0
    const stray = count(
      'agent_message_acks a LEFT JOIN agent_messages m ON m.id = a.message_id WHERE m.id IS NULL',
    )
    if (stray > 0) this.#exchange.faults.push(`${stray} acknowledgements without a message`)
    const acknowledged = count('agent_message_acks')
    const expected = this.#exchange.acknowledged.size
    if (acknowledged !== expected)
      this.#exchange.faults.push(`${acknowledged} acknowledgements are stored, ${expected} were answered`)
    return acknowledged
  }
}
