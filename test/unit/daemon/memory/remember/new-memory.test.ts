import { join } from 'node:path'
import test from 'ava'
import type { RememberBody } from '../../../../../src/contract/memory/memory.js'
import { newMemory } from '../../../../../src/daemon/memory/remember/new-memory.js'
import { timeOrderedIds } from '../../../../../src/lib/time/time-ordered-ids.js'
import { openStore } from '../../../../../src/store/sqlite/database.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'

const caller = {
  actor: 'ana',
  actorType: 'operator',
  agentId: undefined,
  sessionKey: 's1',
  runtimePath: undefined,
  internal: false,
  requestId: 'r1',
  peer: undefined,
  access: { permissions: new Set(), scope: {} },
} as never

const bodies: RememberBody[] = [
  { content: 'we decided on  two spaces\n and ünïcode 😀' },
  {
    content: 'critical: [a,b]: never skip this',
    importance: 0.35,
    who: 'bob',
    project: '/p',
    scope: 'sc',
    visibility: 'private',
    sourceId: 'id',
    sourceType: 'ticket',
    validFrom: '2026-01-01T00:00:00.000Z',
    validUntil: '2026-02-01T00:00:00.000Z',
    structured: { hints: ['a hint'] },
  } as RememberBody,
]

test('a new memory is reported as stored, without reading it again', async t => {
  const store = openStore(join(temporaryWorkspace(t), 'memories.db'), new Date())
  t.teardown(() => store.close())
  const deps = { clock: () => new Date(0), newId: timeOrderedIds() }
  for (const body of bodies) {
    const memory = await newMemory(deps, caller, body, { agents: ['default'], globalOf: 'all' })
    await store.transaction(async tables => {
      memory.change = await tables.meta.nextChange()
      await tables.memories.insert([memory])
    })
    t.deepEqual(await store.tables.memories.load([memory.id]), [memory])
  }
})
