import type { Clock } from './clock.js'
import type { KnownMemory, SyncState } from './merge.js'
import {
  type Changing,
  compareWrites,
  type HolderKey,
  type HolderState,
  lastOf,
  laterOf,
  nameOfHolder,
  type TimedValue,
} from './records.js'

/** A memory as every device shows it. */
export interface MergedMemory extends Omit<Changing, 'content'> {
  id: string
  text: string
  origin: Readonly<Record<string, string | number | null>>
  forgotten: boolean
  /** The first one counts for the visibility of the memory. */
  holders: readonly (HolderKey & HolderState)[]
  hints: readonly string[]
}

export interface MergedView {
  memories: MergedMemory[]
  /** Memories that said the same as one with a smaller id, and that one. */
  aliases: Map<string, string>
}

export interface ViewRules {
  /** Texts with the same hash are the same text. */
  hashOf(text: string): string
  /** Only memories of one space may be the same: '' for those that agents share. */
  spaceOf(holder: HolderKey & HolderState, policy: string | null): string
}

/** A memory that is complete: its save has arrived, its text was not purged, and somebody holds it. */
interface Whole {
  id: string
  known: KnownMemory
  saved: NonNullable<KnownMemory['saved']>
  content: TimedValue<Changing['content'] & { text: string }>
  holders: TimedValue<HolderKey & HolderState>[]
  forgotten: boolean
}

/**
 * Computes the memories from what is known. Nothing here is sent to other devices: the same state gives the
 * same memories, so devices cannot answer each other's changes for ever.
 */
export function viewOf(state: SyncState, rules: ViewRules): MergedView {
  const whole = [...state.memories]
    .flatMap(([id, known]) => wholeOf(state, id, known) ?? [])
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  const groups = groupsOf(state, whole, rules)
  const aliases = new Map(
    groups.flatMap(([first, ...others]) => others.map(({ id }) => [id, first!.id] as const)),
  )
  const present = new Set(whole.map(({ id }) => id))
  const links = supersessions(groups, { aliases, present })
  return { memories: groups.map(group => mergedOf(group, links.get(group[0]!.id)?.value ?? null)), aliases }
}

function wholeOf(state: SyncState, id: string, known: KnownMemory): Whole | undefined {
  const { saved } = known
  if (!saved) return undefined
  const content = fieldOf(known, saved, 'content')
  const holders = [...known.holders.values()].filter(({ value }) => value.held)
  const { text, key } = content.value
  if (text === null || holders.length === 0) return undefined
  let learned = laterOf(known.recovered, saved.clock)
  for (const { clock } of holders) learned = laterOf(learned, clock)
  learned = laterOf(state.recoveredTexts.get(key), learned)
  // An edit does not bring a forgotten memory back, but it makes another text of one.
  const written = laterOf(learned, content.clock)
  const forgotten = isSince(known.forgotten, learned) || isSince(state.forgottenTexts.get(key), written)
  return { id, known, saved, content: { ...content, value: { text, key } }, holders, forgotten }
}

/** A copied machine may give one moment twice: then too, forgetting beats knowing. */
function isSince(forgotten: Clock | undefined, known: Clock): boolean {
  return forgotten !== undefined && forgotten >= known
}

/**
 * Unites memories of the same text. Together they may have another first holder and with it another space, so
 * this is repeated until nothing changes. A forgotten one stays alone, and one that got another type.
 */
function groupsOf(state: SyncState, whole: readonly Whole[], rules: ViewRules): Whole[][] {
  let groups = whole.map(memory => [memory])
  const retyped = retypedOf(whole, rules)
  for (;;) {
    const united = new Map<string, Whole[]>()
    for (const group of groups) {
      const first = group[0]!
      const isAlone = first.forgotten || retyped.has(first.id)
      const name = isAlone ? first.id : nameOfGroup(state, group, rules)
      united.set(
        name,
        [...(united.get(name) ?? []), ...group].sort((a, b) => (a.id < b.id ? -1 : 1)),
      )
    }
    if (united.size === groups.length) return groups
    groups = [...united.values()].sort(([a], [b]) => (a!.id < b!.id ? -1 : 1))
  }
}

function nameOfGroup({ agents }: SyncState, group: readonly Whole[], rules: ViewRules): string {
  const first = holdersOf(group)[0]!
  const space = rules.spaceOf(first, agents.get(first.agent)?.value ?? null)
  return JSON.stringify([space, rules.hashOf(group[0]!.content.value.text)])
}

/** Memories that were replaced by one of the same text, to give it another type: both stay. */
function retypedOf(whole: readonly Whole[], { hashOf }: ViewRules): Set<string> {
  const hashes = new Map(whole.map(({ id, content }) => [id, hashOf(content.value.text)]))
  const links = new Map(
    whole.map(({ id, known, saved }) => [id, fieldOf(known, saved, 'superseded').value?.by]),
  )
  const isRetyped = (id: string): boolean => {
    const by = links.get(id)
    if (by === undefined || hashes.get(by) !== hashes.get(id)) return false
    const seen = new Set<string>()
    // One link of a circle goes, so none of its memories is sure to be replaced.
    for (let at: string | undefined = by; at !== undefined && !seen.has(at); at = links.get(at)) {
      if (at === id) return false
      seen.add(at)
    }
    return true
  }
  return new Set([...hashes.keys()].filter(isRetyped))
}

function mergedOf(group: readonly Whole[], superseded: Changing['superseded']): MergedMemory {
  const first = group[0]!
  const last = <F extends keyof Changing>(field: F) => lastField(group, field).value
  const hints = group.flatMap(({ known }) =>
    [...known.hints.values()].flatMap(({ value }) => value.text ?? []),
  )
  return {
    id: first.id,
    text: first.content.value.text,
    origin: first.saved.value.origin,
    forgotten: first.forgotten,
    type: last('type'),
    tags: [...united(group, 'tags', (a, b) => [...a, ...b])].filter(isFirst).sort(),
    importance: united(group, 'importance', Math.max),
    pinned: united(group, 'pinned', (a, b) => a || b),
    who: last('who'),
    reviewAfter: last('reviewAfter'),
    validUntil: last('validUntil'),
    expiresAt: last('expiresAt'),
    superseded,
    holders: holdersOf(group),
    hints: hints.filter(isFirst).sort(),
  }
}

const isFirst = <T>(value: T, at: number, all: readonly T[]): boolean => all.indexOf(value) === at

function fieldOf<F extends keyof Changing>(
  known: KnownMemory,
  saved: NonNullable<KnownMemory['saved']>,
  field: F,
): TimedValue<Changing[F]> {
  const first = { clock: saved.clock, value: saved.value.first[field] }
  const set = known.fields.get(field) as TimedValue<Changing[F]> | undefined
  return set && compareWrites(set, first) > 0 ? set : first
}

function lastField<F extends keyof Changing>(group: readonly Whole[], field: F): TimedValue<Changing[F]> {
  return group
    .map(({ known, saved }) => fieldOf(known, saved, field))
    .reduce((a, b) => (compareWrites(a, b) < 0 ? b : a))
}

/**
 * The last value that somebody set, united with the first values of later saves; without one, those of all
 * saves.
 */
function united<F extends keyof Changing>(
  group: readonly Whole[],
  field: F,
  unite: (a: Changing[F], b: Changing[F]) => Changing[F],
): Changing[F] {
  const sets = group.flatMap(
    ({ known }) => (known.fields.get(field) as TimedValue<Changing[F]> | undefined) ?? [],
  )
  const set = sets.length > 0 ? sets.reduce((a, b) => (compareWrites(a, b) < 0 ? b : a)) : undefined
  return group
    .filter(({ saved }) => !set || saved.clock > set.clock)
    .map(({ saved }) => saved.value.first[field])
    .concat(set ? [set.value] : [])
    .reduce((a, b) => unite(a, b))
}

/** All holders of a group: shared before private, then the longest, then by name. */
function holdersOf(group: readonly Whole[]): (HolderKey & HolderState)[] {
  const holders = new Map<string, TimedValue<HolderKey & HolderState>>()
  for (const holder of group.flatMap(one => one.holders)) {
    const name = nameOfHolder(holder.value)
    holders.set(name, lastOf(holders.get(name), holder))
  }
  const rank = ({ visibility, heldAt, ...key }: HolderKey & HolderState): string =>
    JSON.stringify([visibility === 'global' ? 0 : 1, heldAt, nameOfHolder(key)])
  return [...holders.values()].map(({ value }) => value).sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
}

type Link = TimedValue<NonNullable<Changing['superseded']>>

/** The replacement of each memory. Of links in a circle the one that was made first goes. */
function supersessions(
  groups: readonly Whole[][],
  { aliases, present }: { aliases: ReadonlyMap<string, string>; present: ReadonlySet<string> },
): Map<string, Link> {
  const links = new Map<string, Link>()
  for (const group of groups) {
    const { clock, value } = lastField(group, 'superseded')
    const id = group[0]!.id
    const by = value && (aliases.get(value.by) ?? value.by)
    if (value && by !== null && by !== id && present.has(by))
      links.set(id, { clock, value: { ...value, by } })
  }
  const done = new Set<string>()
  for (const id of links.keys()) {
    const path: string[] = []
    let at = id
    while (links.has(at) && !done.has(at)) {
      done.add(at)
      path.push(at)
      at = links.get(at)!.value.by
    }
    const circle = path.slice(path.indexOf(at))
    if (!path.includes(at)) continue
    const earliest = circle.reduce((a, b) => (compareWrites(links.get(a)!, links.get(b)!) < 0 ? a : b))
    links.delete(earliest)
  }
  return links
}
