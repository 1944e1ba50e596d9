import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Request } from '../../contract/api.js'
import { taskHarness } from '../../contract/ground/wire-names.js'
import type { DemoDeps } from './demo.js'

type Operations = NonNullable<Request<'POST /api/ontology/operations'>['body']>['operations']

const session = { harness: 'claude-code', sessionKey: 'demo-session', project: '/home/maya/shop' } as const
const prompts = ['Add a column for the tax rate to the billing tables', 'How do I get the API to production?']

const notes: Readonly<Record<string, string>> = {
  'Billing.md': '# Billing\n\nInvoices are made at night by the [[Import]] job, country by country.\n',
  'Import.md': '# Import\n\nLong imports refresh their keys in the staging cache every ten minutes.\n',
  'Releases.md': '# Releases\n\n- June: Node 18 is dropped\n- July: the new search\n',
}

/** Fills a kept demo with sessions, facts, notes and more, so that each page of the web page has content. */
export async function fillDemo({ call }: Pick<DemoDeps, 'call'>, root: string): Promise<void> {
  await workInSession(call)
  await call('POST /api/ontology/operations', { body: { operations: await demoOperations(call) } })
  await addNotes(call, root)
  await call('POST /api/tasks', {
    body: {
      name: 'Look through the notes',
      prompt: 'Read what was noted this week and say what is out of date.',
      cronExpression: '0 9 * * 1',
      harness: taskHarness.claudeCode,
      // A demo must not start programs.
      enabled: false,
    },
  })
  await call('POST /api/agents', { body: { name: 'reviewer', read_policy: 'shared' } })
  const message = { from_agent_id: 'reviewer', to_agent_id: 'default', type: 'question' } as const
  await call('POST /api/cross-agent/messages', {
    body: { ...message, content: 'Please look at the tax rate before Friday.' },
  })
  const secret = { params: { name: 'DEMO_API_KEY' }, body: { value: 'only-a-demo' } }
  await call('POST /api/secrets/:name', secret)
}

async function workInSession(call: DemoDeps['call']): Promise<void> {
  await call('POST /api/hooks/session-start', { body: session })
  for (const userMessage of prompts) {
    await call('POST /api/hooks/user-prompt-submit', { body: { ...session, userMessage } })
    await call('POST /api/hooks/recall', { body: { ...session, query: userMessage, project: null } })
  }
}

/** Returns operations for two related entities, each based on a memory. */
async function demoOperations(call: DemoDeps['call']): Promise<Operations> {
  const { memories } = await call('GET /api/memories', { query: { limit: 50 } })
  const evidenceFrom = (quote: string) => {
    const sourceId = memories.find(({ content }) => content.includes(quote))?.id ?? ''
    return {
      reason: 'the demo',
      confidence: 0.9,
      evidence: [{ sourceKind: 'memory' as const, sourceId, quote }],
    }
  }
  const tables = evidenceFrom('keep the billing tables in PostgreSQL 16')
  const invoices = evidenceFrom('Invoice numbers are counted per country')
  const value = { entity: 'billing', aspect: 'storage', claim: 'database', value: 'PostgreSQL 16' }
  const numbers = { entity: 'billing', aspect: 'invoices', claim: 'numbered by', value: 'country' }
  return [
    { operation: 'create_entity', payload: { name: 'billing', type: 'component' }, ...tables },
    { operation: 'create_entity', payload: { name: 'PostgreSQL', type: 'technology' }, ...tables },
    { operation: 'assert_claim', payload: value, ...tables },
    { operation: 'assert_claim', payload: numbers, ...invoices },
    { operation: 'link', payload: { from: 'billing', relation: 'stored in', to: 'PostgreSQL' }, ...tables },
  ] as Operations
}

async function addNotes(call: DemoDeps['call'], root: string): Promise<void> {
  const folder = join(root, 'notes')
  await mkdir(join(folder, '.obsidian'), { recursive: true })
  for (const [name, text] of Object.entries(notes)) await writeFile(join(folder, name), text)
  await call('POST /api/sources/notevault', { body: { path: folder, name: 'Notes of the demo' } })
}
