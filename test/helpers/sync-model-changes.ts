import { merge } from '../../src/daemon/operations/sync/rules/merge.js'
import type { KeyedText, SyncRecord } from '../../src/daemon/operations/sync/rules/records.js'
import { type MergedMemory, type MergedView, viewOf } from '../../src/daemon/operations/sync/rules/view.js'
import { type Chance, type Device, type DistributiveOmit, hash, keyed, rules } from './sync-model-parts.js'

const agents = ['maya', 'noor']

/** Changes that a person makes on a device. */
export class LocalChanges {
  operations = 0
  #wallMs = 0
  readonly #chance: Chance
  readonly #nextId: () => number

  constructor(chance: Chance, nextId: () => number) {
    this.#chance = chance
    this.#nextId = nextId
  }

  #note(device: Device, record: DistributiveOmit<SyncRecord, 'clock'>): void {
    const whole = { ...record, clock: device.clock.next(this.#wallMs + device.skewMs) } as SyncRecord
    device.last = whole.clock
    merge(device.state, structuredClone(whole))
    device.outbox.push(whole)
  }

  /** Makes one change on a device. */
  change(device: Device, wallMs: number): void {
    this.operations++
    this.#wallMs = wallMs
    const view = viewOf(device.state, rules)
    const kind = this.#chance.below(17)
    if (kind < 4 || view.memories.length === 0) this.#save(device, view)
    else if (kind === 4) {
      const policy = this.#chance.oneOf(['shared', 'isolated', null])
      this.#note(device, { kind: 'agent', name: this.#chance.oneOf(agents), policy })
    } else this.#changeOne(device, { view, memory: this.#chance.oneOf(view.memories), kind })
  }

  #save(device: Device, view: MergedView): void {
    const text = `word${this.#chance.below(7)}x`
    const holder = {
      agent: this.#chance.oneOf(agents),
      project: this.#chance.oneOf([null, 'boat']),
      scope: null,
      held: true,
      visibility: this.#chance.oneOf(['global', 'private']),
      heldAt: String(this.#wallMs),
    }
    const space = rules.spaceOf(holder, device.state.agents.get(holder.agent)?.value ?? null)
    const same = view.memories.find(
      one => !one.forgotten && one.text === text && this.#spaceOf(device, one) === space,
    )
    if (same) {
      this.#note(device, { kind: 'hold', id: same.id, holder })
      return
    }
    const id = `m${hash(`${device.tag} ${this.#nextId()}`)}`
    const first = {
      content: keyed(space, text),
      type: 'fact',
      tags: [`tag${this.#chance.below(3)}`],
      importance: this.#chance.below(10) / 10,
      pinned: this.#chance.below(4) === 0,
      who: null,
      reviewAfter: null,
      validUntil: null,
      expiresAt: null,
      superseded: null,
    }
    this.#note(device, {
      kind: 'save',
      id,
      saved: { origin: { createdAt: String(this.#wallMs) }, first, holder },
    })
    this.#event(device, id, null, first.content)
  }

  #changeOne(
    device: Device,
    { view, memory, kind }: { view: MergedView; memory: MergedMemory; kind: number },
  ): void {
    const { id } = memory
    const key = this.#keyed(device, memory).key
    const all = [id, ...[...view.aliases].filter(([, into]) => into === id).map(([alias]) => alias)]
    if (kind === 5) for (const one of all) this.#note(device, { kind: 'forget', id: one, key })
    else if (kind === 6 && memory.forgotten) this.#note(device, { kind: 'recover', id, key })
    else if (kind === 7 && this.#chance.below(3) === 0)
      for (const one of all) this.#note(device, { kind: 'purge', id: one, key })
    else if (kind === 8) this.#edit(device, view, memory)
    else if (kind === 9)
      this.#note(device, { kind: 'set', id, field: 'tags', value: [`set${this.#chance.below(4)}`] })
    else if (kind === 10) this.#note(device, { kind: 'set', id, field: 'pinned', value: !memory.pinned })
    else if (kind === 11 || kind > 13) {
      const by = this.#chance.oneOf(view.memories.slice(0, 4)).id
      const value = this.#chance.below(4) === 0 ? null : { by, at: String(this.#wallMs), reason: null }
      this.#note(device, { kind: 'set', id, field: 'superseded', value })
    } else if (kind === 12) {
      const holder = { ...this.#chance.oneOf(memory.holders), held: false }
      for (const one of all) this.#note(device, { kind: 'hold', id: one, holder })
    } else if (kind === 13)
      this.#note(device, { kind: 'hint', id, text: keyed('hint', `hint${this.#chance.below(3)}`) })
  }

  #edit(device: Device, { memories }: MergedView, memory: MergedMemory): void {
    const text = `word${this.#chance.below(7)}x`
    const space = this.#spaceOf(device, memory)
    if (memories.some(one => one.text === text && this.#spaceOf(device, one) === space)) return
    const value = keyed(space, text)
    this.#event(device, memory.id, this.#keyed(device, memory), value)
    this.#note(device, { kind: 'set', id: memory.id, field: 'content', value })
  }

  #event(device: Device, id: string, before: KeyedText | null, after: KeyedText): void {
    this.#note(device, { kind: 'event', id, eventId: `e${this.#nextId()}`, event: 'changed', before, after })
  }

  /** The text with the key that its last writer gave it, as a device stores it. */
  #keyed(device: Device, { id, text }: MergedMemory): KeyedText {
    const known = device.state.memories.get(id)
    const set = known?.fields.get('content')
    const first = known?.saved
    const last =
      set && (!first || set.clock > first.clock) ? (set.value as KeyedText) : first?.value.first.content
    return last ?? keyed('', text)
  }

  #spaceOf(device: Device, { holders }: MergedMemory): string {
    return rules.spaceOf(holders[0]!, device.state.agents.get(holders[0]!.agent)?.value ?? null)
  }
}
