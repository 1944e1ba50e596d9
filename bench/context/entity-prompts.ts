import { startMeasuredDaemon } from '../daemon/daemon-process.js'
import { temporaryWorkspace } from '../daemon/workspace.js'
import { entityPrompts, type KnownThing, things } from './entity-facts.js'

/** Facts about entities that prompts get. */
export interface EntityPromptFigures {
  facts: number
  /** Prompts that some fact helps. */
  answerable: { prompts: number; told: number; helping: number; helped: number }
  /** Prompts that no fact helps. */
  foreign: { prompts: number; silent: number }
  /** Facts that did not help, and prompts that got none of theirs. */
  faults: readonly string[]
}

export const entityGoals = { helping: 0.8, silent: 1 }

const project = 'freight'

/** Stores what a team knows and sends 40 prompts to the hook, each in a session of its own. */
export async function measureEntityPrompts(): Promise<EntityPromptFigures> {
  const workspace = temporaryWorkspace({ embedding: { provider: 'none' } })
  const daemon = await startMeasuredDaemon(workspace.folder)
  try {
    for (const thing of things) await store(daemon, thing)
    const values = things.flatMap(({ facts }) => facts.map(([key, , , value]) => [key, value] as const))
    const answerable = { prompts: 0, told: 0, helping: 0, helped: 0 }
    const foreign = { prompts: 0, silent: 0 }
    const faults: string[] = []
    for (const [n, [prompt, ...helps]] of entityPrompts.entries()) {
      const body = { harness: 'claude-code', sessionKey: `entities ${n}`, project, userMessage: prompt }
      const { status, body: reply } = await daemon.ask('POST', '/api/hooks/user-prompt-submit', body)
      if (status !== 200) throw new Error(`user-prompt-submit answered ${status}`)
      const isTold = (value: string) => [': ', '; '].some(sign => reply.inject.includes(sign + value))
      const told = values.filter(([, value]) => isTold(value)).map(([key]) => key)
      if (helps.length === 0) {
        foreign.prompts += 1
        foreign.silent += reply.inject === '' ? 1 : 0
        if (reply.inject !== '') faults.push(`${prompt}: told ${told.join(' ')}`)
        continue
      }
      const helping = told.filter(key => helps.includes(key))
      answerable.prompts += 1
      answerable.told += told.length
      answerable.helping += helping.length
      answerable.helped += helping.length > 0 ? 1 : 0
      const useless = told.filter(key => !helps.includes(key))
      if (useless.length > 0 || helping.length === 0)
        faults.push(`${prompt}: ${useless.join(' ') || 'nothing'} instead of ${helps.join(' ')}`)
    }
    return { facts: values.length, answerable, foreign, faults }
  } finally {
    await daemon.stop()
    workspace.remove()
  }
}

async function store(
  daemon: Pick<Awaited<ReturnType<typeof startMeasuredDaemon>>, 'ask'>,
  { name, type, aliases, facts }: KnownThing,
): Promise<void> {
  const operations: object[] = []
  for (const [, aspect, claim, value] of facts) {
    const content = `${name}: ${claim}: ${value}`
    const saved = await daemon.ask('POST', '/api/memory/remember', { content, project })
    const evidence = [{ sourceKind: 'memory', sourceId: saved.body.id, quote: content }]
    const given = { reason: 'a benchmark', confidence: 0.9, evidence }
    if (operations.length === 0)
      operations.push({ operation: 'create_entity', payload: { name, type, aliases }, ...given })
    const kind = aspect.startsWith('!') ? 'constraint' : 'attribute'
    const payload = { entity: name, aspect: aspect.replace('!', ''), claim, kind, value }
    operations.push({ operation: 'assert_claim', payload, ...given })
  }
  const { status, body } = await daemon.ask('POST', '/api/ontology/operations', { operations, project })
  if (status !== 200 || body.results.some((one: { status: string }) => one.status !== 'applied'))
    throw new Error(`operations answered ${status}: ${JSON.stringify(body)}`)
}

export function formatEntityPrompts({ facts, answerable, foreign, faults }: EntityPromptFigures): string {
  const share = (part: number, all: number) => (all === 0 ? '–' : (part / all).toFixed(3))
  return [
    `prompts over ${facts} facts about entities:`,
    `${share(answerable.helping, answerable.told)} of ${answerable.told} told facts help (goal ${entityGoals.helping})`,
    `${share(answerable.helped, answerable.prompts)} of ${answerable.prompts} prompts got a fact that helps`,
    `${share(foreign.silent, foreign.prompts)} of ${foreign.prompts} prompts that nothing helps got nothing (goal ${entityGoals.silent})`,
    ...faults.map(fault => `- ${fault}`),
  ].join('\n')
}
