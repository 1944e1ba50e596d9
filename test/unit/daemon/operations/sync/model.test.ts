import test from 'ava'
import { emptyState, merge } from '../../../../../src/daemon/operations/sync/rules/merge.js'
import type { RecordOf, SyncRecord } from '../../../../../src/daemon/operations/sync/rules/records.js'
import { viewOf } from '../../../../../src/daemon/operations/sync/rules/view.js'
import { SyncModel } from '../../../../helpers/sync-model.js'
import { Chance, dumpOf, rules } from '../../../../helpers/sync-model-parts.js'

const seeds = Number(process.env.SYNC_SEEDS ?? 300)
const firstSeed = Number(process.env.SYNC_FIRST_SEED ?? 1)

test('devices that saw the same records in any order end equal, lose nothing, and bring nothing back', t => {
  const sum = { runs: 0, devices: 0, operations: 0, records: 0 }
  const faults: Record<string, number> = {}
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
    const model = new SyncModel(seed)
    model.run(40 + (seed % 5) * 40)
    model.settle()
    const records = model.records()
    const [first = '', ...others] = model.devices.map(({ state }) => dumpOf(state))
    for (const [at, other] of others.entries())
      if (other !== first) t.fail(`seed ${seed}: device ${at + 1} differs`)
    if (shuffledDump(records, seed) !== first) t.fail(`seed ${seed}: another order gives another state`)
    for (const problem of problemsOf(records, first)) t.fail(`seed ${seed}: ${problem}`)
    if (dumpOf(model.newcomer()) !== first) t.fail(`seed ${seed}: a new device differs`)
    model.clean()
    if (dumpOf(model.newcomer()) !== first) t.fail(`seed ${seed}: a new device differs after the cleaning`)
    for (const key of purgedTextsIn(model.stored(), records))
      t.fail(`seed ${seed}: the store has the purged text ${key}`)
    sum.runs++
    sum.devices += model.devices.length
    sum.operations += model.operations
    sum.records += records.length
    for (const [name, count] of Object.entries({ ...model.faults, ...model.kills, ...model.done }))
      faults[name] = (faults[name] ?? 0) + count
  }
  t.log(JSON.stringify({ ...sum, faults }))
  if (seeds >= 300)
    for (const [name, count] of Object.entries(faults)) t.true(count > 0, `no run had ${name}`)
  t.pass()
})

/** Keys of texts in the store that were purged after they were written. */
function purgedTextsIn(stored: readonly SyncRecord[], records: readonly SyncRecord[]): Set<string> {
  const purged = new Map<string, string>()
  for (const record of records)
    if (record.kind === 'purge' && record.clock > (purged.get(record.key) ?? ''))
      purged.set(record.key, record.clock)
  const found = new Set<string>()
  for (const record of stored)
    JSON.stringify(record, (_name, value) => {
      const isText = value && typeof value === 'object' && typeof value.text === 'string'
      if (isText && record.clock <= (purged.get(value.key) ?? '')) found.add(value.key)
      return value
    })
  return found
}

function shuffledDump(records: readonly SyncRecord[], seed: number): string {
  const chance = new Chance(seed)
  const state = emptyState()
  const twice = [...records, ...records.filter(() => chance.below(3) === 0)]
  for (const record of chance.shuffled(twice)) merge(state, structuredClone(record))
  return dumpOf(state)
}

/** Checks a final state against the records alone, without the rules that made it. */
function problemsOf(records: readonly SyncRecord[], dump: string): string[] {
  const state = emptyState()
  for (const record of records) merge(state, structuredClone(record))
  const { memories, aliases } = viewOf(state, rules)
  const alive = new Map(memories.filter(one => !one.forgotten).map(one => [one.id, one]))
  const of = <K extends SyncRecord['kind']>(kind: K) =>
    records.filter(one => one.kind === kind) as RecordOf<K>[]
  const purged = new Set(of('purge').map(({ id }) => id))
  const problems: string[] = []
  for (const { id, clock, saved } of of('save')) {
    const about = records.filter(one => 'id' in one && one.id === id)
    const keys = new Set([saved.first.content.key, ...about.flatMap(one => contentKey(one) ?? [])])
    const isTouched =
      about.some(({ kind }) => kind === 'forget' || kind === 'purge') ||
      records.some(one => (one.kind === 'forget' || one.kind === 'purge') && keys.has(one.key)) ||
      about.some(one => one.kind === 'hold' && !one.holder.held)
    if (!isTouched && !alive.has(aliases.get(id) ?? id)) problems.push(`${id}, saved at ${clock}, is lost`)
  }
  for (const { id, key, clock } of of('forget')) {
    const isKnownLater = records.some(
      one =>
        one.clock > clock &&
        ((one.kind === 'recover' && (one.id === id || keysOf(records, id).has(one.key))) ||
          ((one.kind === 'save' || one.kind === 'hold') && one.id === id)),
    )
    if (!isKnownLater && alive.has(id)) problems.push(`${id}, forgotten at ${clock}, is back`)
    const again = [...alive.values()].find(
      one =>
        keyOfNow(state, one.id) === key &&
        !records.some(later => later.clock > clock && 'id' in later && later.id === one.id) &&
        !of('recover').some(later => later.clock > clock && later.key === key),
    )
    if (again) problems.push(`${again.id} says what was forgotten at ${clock}`)
  }
  for (const { id, key, clock } of of('purge')) {
    if (alive.has(id) || dump.includes(`["${id}",{"saved"`)) problems.push(`${id} was purged and is there`)
    const isWrittenLater = records.some(
      one => one.clock > clock && JSON.stringify(one).includes(`"key":"${key}"`),
    )
    if (!isWrittenLater && textsIn(state).has(key))
      problems.push(`the text of ${key} was purged and is there`)
  }
  const events = new Set(
    of('event')
      .filter(({ id }) => !purged.has(id))
      .map(({ eventId }) => eventId),
  )
  if (state.events.size !== events.size) problems.push('the history is not complete')
  const isRetyped = (one: (typeof memories)[number]): boolean =>
    one.superseded !== null && memories.find(({ id }) => id === one.superseded?.by)?.text === one.text
  const names = [...alive.values()]
    .filter(one => !isRetyped(one))
    .map(one => {
      const policy = state.agents.get(one.holders[0]!.agent)?.value ?? null
      return `${rules.spaceOf(one.holders[0]!, policy)} ${one.text}`
    })
  for (const { id, importance } of memories)
    if (!(importance >= 0 && importance <= 1)) problems.push(`${id} has importance ${importance}`)
  if (new Set(names).size !== names.length) problems.push('two memories say the same')
  for (const start of memories) {
    let at: string | undefined = start.superseded?.by
    for (let steps = 0; at !== undefined && steps <= memories.length; steps++) {
      if (at === start.id) problems.push(`${start.id} replaces itself`)
      at = memories.find(({ id }) => id === at)?.superseded?.by
    }
  }
  return problems
}

function contentKey(record: SyncRecord): string | undefined {
  return record.kind === 'set' && record.field === 'content'
    ? (record.value as { key: string }).key
    : undefined
}

function keysOf(records: readonly SyncRecord[], id: string): Set<string> {
  return new Set(
    records.flatMap(one => {
      if (!('id' in one) || one.id !== id) return []
      return one.kind === 'save' ? [one.saved.first.content.key] : (contentKey(one) ?? [])
    }),
  )
}

function keyOfNow(state: ReturnType<typeof emptyState>, id: string): string | undefined {
  const known = state.memories.get(id)
  const set = known?.fields.get('content')
  if (set && (!known?.saved || set.clock > known.saved.clock)) return (set.value as { key: string }).key
  return known?.saved?.value.first.content.key
}

/** Keys of all texts that a state has in clear. */
function textsIn(state: ReturnType<typeof emptyState>): Set<string> {
  const found = new Set<string>()
  JSON.stringify([...state.memories.values(), ...state.events.values()], (_name, value) => {
    if (value instanceof Map) return [...value.values()]
    if (value && typeof value === 'object' && 'key' in value && typeof value.text === 'string')
      found.add(value.key)
    return value
  })
  return found
}
