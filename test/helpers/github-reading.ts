import type { GithubSettings } from '../../src/contract/knowledge/sources/github.js'
import type { Pass, ReadArtifact, SourceEvent } from '../../src/daemon/knowledge/sources/core/kind.js'
import { readRepos } from '../../src/daemon/knowledge/sources/github/read.js'

interface Row extends ReadArtifact {
  pass: number
}

/** The events of a source's passes, stored as the core stores them. */
export interface Library {
  rows: Map<string, Row>
  checkpoints: Map<string, string>
  passes: number
}

export interface PassOptions {
  settings?: Partial<GithubSettings>
  full?: boolean
  frontier?: string
  token?: string
  signal?: AbortSignal
  clock?: () => Date
  /** Stops after this many events, like a kill. */
  stopAfter?: number
}

export interface Read {
  events: SourceEvent[]
  /** Requested waits in milliseconds. */
  waits: number[]
}

export function emptyLibrary(): Library {
  return { rows: new Map(), checkpoints: new Map(), passes: 0 }
}

/** Runs one pass against an API, applied to the results of earlier ones. */
export async function readOnce(
  base: string,
  library: Library,
  { settings = {}, full = false, frontier, token, signal, clock, stopAfter }: PassOptions = {},
): Promise<Read> {
  const read: Read = { events: [], waits: [] }
  const pass = passOver(library, { full, frontier: frontier ?? null, token, signal })
  const source = {
    id: 'coderepo:x',
    agentId: 'default',
    name: 'x',
    root: 'x',
    settings: settingsOf(settings, token),
  }
  const deps = {
    // Nothing really waits; the clock advances as if it had.
    clock: clock ?? (() => new Date(Date.now() + read.waits.reduce((sum, ms) => sum + ms, 0))),
    configuration: () => ({ settings: { sources: { coderepo: { apiBaseUrl: base } } } }) as never,
    wait: async (ms: number) => void read.waits.push(ms),
  }
  for await (const event of readRepos(deps, source, pass)) {
    read.events.push(event)
    apply(library, event, pass.number)
    if (read.events.length === stopAfter) break
  }
  return read
}

export function settingsOf(fields: Partial<GithubSettings>, token?: string): GithubSettings {
  return {
    repos: ['octo/site'],
    resourceTypes: ['issues', 'pulls', 'docs'],
    state: 'all',
    includeComments: true,
    labels: [],
    docPaths: ['**/*.md'],
    ...(token !== undefined && { tokenRef: 'GITHUB_TOKEN' }),
    ...fields,
  }
}

function passOver(
  library: Library,
  {
    full,
    frontier,
    token,
    signal,
  }: Pick<Pass, 'full' | 'frontier'> & { token?: string | undefined; signal?: AbortSignal | undefined },
): Pass {
  library.passes++
  return {
    signal: signal ?? new AbortController().signal,
    full,
    frontier,
    number: library.passes,
    known: async path => library.rows.get(path) as never,
    knownAfter: async () => [],
    checkpoint: async key => library.checkpoints.get(key),
    secret: async () => token ?? '',
  }
}

function apply({ rows, checkpoints }: Library, event: SourceEvent, pass: number): void {
  if (event.event === 'artifact') rows.set(event.artifact.path, { ...event.artifact, pass })
  if (event.event === 'same') rows.set(event.path, { ...(rows.get(event.path) as Row), pass })
  if (event.event === 'removed') rows.delete(event.path)
  if (event.event === 'checkpoint' && event.value !== null) checkpoints.set(event.key, event.value)
  if (event.event === 'listed')
    for (const [path, row] of rows)
      if (path.startsWith(event.prefix) && row.pass < (event.fromPass ?? pass)) rows.delete(path)
}

/** Stored paths, sorted. */
export function pathsOf({ rows }: Library): string[] {
  return [...rows.keys()].sort()
}

/** Events of one type. */
export function eventsOf<W extends SourceEvent['event']>(
  { events }: Read,
  word: W,
): Extract<SourceEvent, { event: W }>[] {
  return events.filter((event): event is Extract<SourceEvent, { event: W }> => event.event === word)
}
