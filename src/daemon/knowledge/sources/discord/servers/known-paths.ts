import { type ChannelState, channelState } from '../../../../../contract/knowledge/sources/discord.js'
import type { StoredArtifact } from '../../../../../store/tables/knowledge/source-artifacts.js'
import type { Pass, SourceEvent } from '../../core/kind.js'
import { compareIds, textRange } from './paths.js'
import type { GuildPass } from './reading.js'

type KnownArtifacts = Pick<Pass, 'knownAfter'>

const pageRows = 500

/** Yields all known artifacts below a path, ordered by path. */
export async function* artifactsBelow(pass: KnownArtifacts, path: string): AsyncGenerator<StoredArtifact> {
  const prefix = `${path}/`
  for (let after = prefix; ; ) {
    const rows = await pass.knownAfter({ after, limit: pageRows, prefix })
    yield* rows
    const last = rows.at(-1)
    if (!last || rows.length < pageRows) return
    after = last.path
  }
}

/** Yields the known ids directly below a path, such as a server's channels, with one query each. */
export async function* knownChildren(pass: KnownArtifacts, path: string): AsyncGenerator<string> {
  const prefix = `${path}/`
  for (let after = prefix; ; ) {
    const [row] = await pass.knownAfter({ after, limit: 1, prefix })
    if (!row) return
    const child = row.path.slice(prefix.length).split('/', 1)[0] ?? ''
    yield child
    // Skips everything below this child.
    after = `${prefix}${child}0`
  }
}

/** Removes a path and everything below it, including artifacts reported a moment ago. */
export async function* removePath(
  { pass, told }: Pick<GuildPass, 'pass' | 'told'>,
  path: string,
): AsyncGenerator<SourceEvent> {
  const inner = new Set(told.below(path))
  for await (const known of artifactsBelow(pass, path)) inner.add(known.path)
  if (told.has(path) || (await pass.known(path))) inner.add(path)
  for (const gone of inner) yield { event: 'removed', path: gone }
}

export interface ListedRange {
  /** Every existing id strictly between these two is in `listed`. */
  after: string
  /** Undefined for an open end. */
  before: string | undefined
  listed: ReadonlySet<string>
}

/**
 * Removes known artifacts below a path that are missing from a listing of that range, with everything below
 * them.
 */
export async function* removeUnlisted(
  pass: KnownArtifacts,
  path: string,
  { after: from, before: to, listed }: ListedRange,
): AsyncGenerator<SourceEvent> {
  const prefix = `${path}/`
  const range = textRange(from, to)
  const before = `${prefix}${range.to}`
  for (let after = `${prefix}${range.from}`; ; ) {
    const rows = await pass.knownAfter({ after, before, limit: pageRows })
    for (const { path: known } of rows) {
      const id = known.slice(prefix.length).split('/', 1)[0] ?? ''
      const isInside = compareIds(id, from) > 0 && (to === undefined || compareIds(id, to) < 0)
      if (isInside && !listed.has(id)) yield { event: 'removed', path: known }
    }
    const last = rows.at(-1)
    if (!last || rows.length < pageRows) return
    after = last.path
  }
}

const keyOf = (channel: string): string => `channel:${channel}`

/** Loads how far a channel was read; starts over if its messages would be rendered differently now. */
export async function loadState(
  { pass, states }: Pick<GuildPass, 'pass' | 'states'>,
  channel: string,
  shape: string,
): Promise<ChannelState> {
  const fresh = { shape, newest: null, listedAt: null, listedIn: null, walk: null }
  const kept = states.get(channel) ?? parseState(await pass.checkpoint(keyOf(channel)))
  return kept?.shape === shape ? kept : fresh
}

/** Stores how far a channel was read. */
export function storeState(
  { states }: Pick<GuildPass, 'states'>,
  channel: string,
  state: ChannelState,
): SourceEvent {
  states.set(channel, state)
  const isPartial = state.walk !== null
  return { event: 'checkpoint', key: keyOf(channel), value: JSON.stringify(state), isPartial }
}

/** Deletes the state of a removed channel. */
export function dropState({ states }: Pick<GuildPass, 'states'>, channel: string): SourceEvent {
  states.delete(channel)
  return { event: 'checkpoint', key: keyOf(channel), value: null }
}

/** Advances the state for a live message, provided that everything older was read. */
export async function* noteNewest(
  reading: Pick<GuildPass, 'pass' | 'states'>,
  { channel, shape, message }: { channel: string; shape: string; message: string },
): AsyncGenerator<SourceEvent> {
  const state = await loadState(reading, channel, shape)
  const isRead = state.newest !== null && state.walk === null
  if (isRead && compareIds(message, state.newest ?? '') > 0)
    yield storeState(reading, channel, { ...state, newest: message })
}

function parseState(text: string | undefined): ChannelState | undefined {
  return text === undefined ? undefined : channelState.safeParse(JSON.parse(text)).data
}
