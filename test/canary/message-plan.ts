import type { Message } from '../../src/contract/agents/messages.js'
import type { FakeRequest } from '../helpers/embedding-fakes.js'

/** Messages to send: the sender, a unique text, and the fields of the target. */
export type Plan = readonly { from: string; content: string; body: object }[]

/** Answers that the agents received. */
export interface Exchange {
  /** Ids by text. */
  sent: Map<string, string>
  /** Times by agent and id. */
  acknowledged: Map<string, string>
  faults: string[]
}

/** Calls a path below the messages route. */
type Ask = (path: string) => Promise<{ items: Message[]; hasMore: boolean; unreadCount: number }>

/** One in this many messages is a broadcast, and one in this many goes to another server. */
const everyBroadcast = 50
const everyRelay = 40

export function agentsOf(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `agent-${at}`)
}

export function planOf({ agents, messages }: { agents: number; messages: number }): Plan {
  return Array.from({ length: messages }, (_, n) => ({
    from: `agent-${n % agents}`,
    content: `message ${n}`,
    body: targetOf(n, agents),
  }))
}

function targetOf(n: number, agents: number): object {
  if (n % everyBroadcast === 1) return { broadcast: true }
  if (n % everyRelay === 2) return { via: 'acp', acp_target_agent_name: 'scribe' }
  return { to_agent_id: `agent-${(n + 1 + (n % (agents - 1))) % agents}` }
}

/** Checks that each agent has every message for it exactly once, acknowledged at the answered time. */
export async function checkInboxes(ask: Ask, plan: Plan, exchange: Exchange): Promise<void> {
  const { faults, sent, acknowledged } = exchange
  const agents = new Set(plan.map(({ from }) => from))
  for (const agent of agents) {
    const expected = plan
      .filter(({ from, body }) =>
        'broadcast' in body ? from !== agent : 'to_agent_id' in body && body.to_agent_id === agent,
      )
      .map(({ content }) => `${content} ${sent.get(content)}`)
      .sort()
    const items = await readAll(ask, `?agent_id=${agent}`)
    const found = items.map(({ id, content }) => `${content} ${id}`).sort()
    if (JSON.stringify(found) !== JSON.stringify(expected))
      faults.push(`${agent} has ${found.length} of ${expected.length} messages, or different ones`)
    for (const { id, acknowledgedAt } of items)
      if (acknowledgedAt === null || acknowledgedAt !== acknowledged.get(`${agent} ${id}`))
        faults.push(`${agent} has another time for the acknowledgement of ${id}`)
  }
}

/** Checks that delivered messages arrived, and that none was sent more often than requested. */
export async function checkRelays(
  ask: Ask,
  plan: Plan,
  { exchange, requests }: { exchange: Exchange; requests: readonly FakeRequest[] },
): Promise<void> {
  const arrived = new Map<string, number>()
  for (const { headers } of requests) {
    const key = String(headers['idempotency-key'])
    arrived.set(key, (arrived.get(key) ?? 0) + 1)
  }
  const relays = plan.filter(({ body }) => 'via' in body)
  for (const agent of new Set(relays.map(({ from }) => from))) {
    const items = await readAll(ask, `?agent_id=${agent}&include_sent=true&include_broadcast=false`)
    const own = items.filter(({ via, fromAgentId }) => via === 'acp' && fromAgentId === agent)
    const expected = relays.filter(({ from }) => from === agent).length
    if (own.length !== expected) exchange.faults.push(`${agent} has ${own.length} of ${expected} relays`)
    for (const { id, deliveryState, relay } of own) {
      const times = arrived.get(id) ?? 0
      const attempts = relay?.attempts ?? 0
      if (times > attempts) exchange.faults.push(`${id} arrived ${times} times in ${attempts} attempts`)
      if (deliveryState === 'delivered' ? times === 0 : attempts < 3 || deliveryState !== 'indeterminate')
        exchange.faults.push(
          `${id} is ${deliveryState} after ${attempts} attempts and arrived ${times} times`,
        )
    }
  }
}

async function readAll(ask: Ask, query: string): Promise<Message[]> {
  const all: Message[] = []
  for (;;) {
    const { items, hasMore } = await ask(`${query}&limit=100&offset=${all.length}`)
    all.push(...items)
    if (!hasMore) return all
  }
}
