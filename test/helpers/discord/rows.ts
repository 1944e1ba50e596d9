import { type DiscordSettings, discordSettings } from '../../../src/contract/knowledge/sources/discord.js'
import { settings as allSettings } from '../../../src/contract/settings.js'
import type { Wait } from '../../../src/daemon/ground/fetch/api-faults.js'
import type {
  KindDeps,
  Pass,
  ReadArtifact,
  Source,
  SourceEvent,
} from '../../../src/daemon/knowledge/sources/core/kind.js'
import { readServers } from '../../../src/daemon/knowledge/sources/discord/read.js'
import type { DiscordFake } from './server.js'

export type Fault = Extract<SourceEvent, { event: 'fault' }>

/** Applies the events of a source kind in memory like the core of sources, for tests of the kind alone. */
export class Rows {
  readonly artifacts = new Map<string, ReadArtifact>()
  readonly checkpoints = new Map<string, string>()
  faults: Fault[] = []
  statuses: string[] = []
  pauses: Extract<SourceEvent, { event: 'pause' }>[] = []
  failures: string[] = []
  /** Written paths in order. */
  written: string[] = []
  same = 0
  #passes = 0

  pass({ secret, full = false, frontier = null, signal }: Partial<Pass> = {}): Pass {
    this.faults = []
    this.statuses = []
    this.pauses = []
    this.failures = []
    this.written = []
    this.same = 0
    const paths = () => [...this.artifacts.keys()].sort()
    return {
      signal: signal ?? new AbortController().signal,
      full,
      frontier,
      number: ++this.#passes,
      known: async path => this.#known(path),
      knownAfter: async ({ after, limit, before, prefix = '' }) =>
        paths()
          .filter(path => path > after && path.startsWith(prefix) && (before === undefined || path < before))
          .slice(0, limit)
          .map(path => this.#known(path)!),
      checkpoint: async key => this.checkpoints.get(key),
      secret: secret ?? (async () => 'no token'),
    }
  }

  /** Applies events as they come; stops after `stopAfter`, like a kill. @returns the number of events */
  async take(
    events: AsyncIterable<SourceEvent>,
    stopAfter: number = Number.POSITIVE_INFINITY,
  ): Promise<number> {
    let count = 0
    for await (const event of events) {
      if (count === stopAfter) break
      count++
      this.apply(event)
    }
    return count
  }

  apply(event: SourceEvent): void {
    if (event.event === 'artifact') {
      this.artifacts.set(event.artifact.path, event.artifact)
      this.written.push(event.artifact.path)
    } else if (event.event === 'removed') this.artifacts.delete(event.path)
    else if (event.event === 'checkpoint') {
      if (event.value === null) this.checkpoints.delete(event.key)
      else this.checkpoints.set(event.key, event.value)
    } else if (event.event === 'fault') this.faults.push(event)
    else if (event.event === 'status') this.statuses.push(event.message)
    else if (event.event === 'pause') this.pauses.push(event)
    else if (event.event === 'failed') this.failures.push(event.message)
    else if (event.event === 'same') this.same++
  }

  /** Texts of messages, sorted. */
  texts(kind = 'message'): string[] {
    return [...this.artifacts.values()]
      .filter(artifact => artifact.kind === kind)
      .map(({ text }) => text)
      .sort()
  }

  #known(path: string) {
    const artifact = this.artifacts.get(path)
    if (!artifact) return undefined
    const { fingerprint, updatedAt, isLocalOnly, title } = artifact
    return {
      id: path,
      path,
      title,
      fingerprint,
      content_hash: fingerprint,
      pass: this.#passes,
      is_local_only: Number(isLocalOnly ?? false),
      source_updated_at: updatedAt,
      chunk_count: 1,
    }
  }
}

/** A source of one server as the core passes it to the kind. */
export function guildSource(fields: Partial<DiscordSettings>): Source<DiscordSettings> {
  const settings = discordSettings.parse({ guildIds: [], tokenRef: 'DISCORD_TOKEN', ...fields })
  return { id: 'chatguild:1', agentId: 'default', name: 'Discord', root: 'discord', settings }
}

/** The part of the daemon that an API pass needs. */
export function guildDeps({ apiBaseUrl }: Pick<DiscordFake, 'apiBaseUrl'>): KindDeps {
  const settings = allSettings.parse({ sources: { chatguild: { apiBaseUrl } } })
  return { configuration: () => ({ settings }), clock: () => new Date() } as unknown as KindDeps
}

/** Runs one pass over the API into `rows`. */
export async function readInto(
  rows: Rows,
  discord: DiscordFake,
  fields: Partial<DiscordSettings>,
  { stopAfter, wait, ...pass }: Partial<Pass> & { stopAfter?: number; wait?: Wait } = {},
): Promise<void> {
  const secret = async () => discord.token
  const events = readServers(guildDeps(discord), guildSource(fields), rows.pass({ secret, ...pass }), wait)
  await rows.take(events, stopAfter)
}
