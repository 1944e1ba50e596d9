/**
 * Projects group memories. A project is a repository, a folder or a name (docs/projects.md).
 *
 * This object has all projects in memory, so that a request resolves its project without a query. Names,
 * folders and remotes come in from requests, canonical keys go out. Rows keep the key under which they were
 * saved: `store/sql/same-project.ts` finds them under each key of their project, so joining projects rewrites
 * no row and can be undone. Changes by a person are in `change-projects.ts`.
 */

import { basename, dirname, isAbsolute, posix, win32 } from 'node:path'
import type { Logger } from 'pino'
import { AppError } from '../../../contract/ground/errors.js'
import { oneAtATime } from '../../../lib/concurrency/one-at-a-time.js'
import { shortNameOf } from '../../../lib/text/names.js'
import type { Store } from '../../../store/store.js'
import type { PlaceRow, ProjectRow } from '../../../store/tables/platform/projects.js'
import type { Tables } from '../../../store/tables/tables.js'
import type { SettingsInForce } from '../settings/settings-in-force.js'
import { Branches } from './branches.js'
import { bareRemoteKey, remoteKey, userGitSettings } from './git-settings.js'
import {
  absolutePath,
  type FolderIdentity,
  type FolderReads,
  identify,
  nameBySettings,
  realFolder,
} from './identify.js'
import { createFirstCommit, type FirstCommit, type GitOf, type Repository } from './repository.js'

export interface ProjectsDeps {
  store: Pick<Store, 'tables' | 'transaction' | 'write' | 'changes'>
  clock: () => Date
  newId: () => string
  configuration(): SettingsInForce
  environment: NodeJS.ProcessEnv
  gitOf: GitOf
  log: Logger
}

/** How a project is looked up. */
export interface LookupOptions {
  /** True when paths are of this machine. */
  isHere: boolean
  /** True when an unknown project is added: for saves and sessions, not for reads. */
  adds: boolean
  /** Folders that the same call has read already. */
  reads?: FolderReads | undefined
}

/** The project a caller works in, with the repository of its working tree. */
export interface Location {
  project: string
  repository: Repository | undefined
  /** True when no such folder exists and it is not a known place. */
  isGone?: true
}

const hourMs = 60 * 60 * 1000

export class Projects {
  readonly branches: Branches
  readonly #deps: ProjectsDeps
  readonly #rows = new Map<string, ProjectRow>()
  readonly #keys = new Map<string, string>()
  /** Keys that are paths in another spelling, such as with a small drive letter, by their one spelling. */
  readonly #spellings = new Map<string, string[]>()
  readonly #places = new Map<string, PlaceRow>()
  readonly #inTurn = oneAtATime()
  readonly #firstCommit: FirstCommit
  #loading: Promise<void> | undefined

  constructor(deps: ProjectsDeps) {
    this.#deps = deps
    this.branches = new Branches(deps)
    this.#firstCommit = createFirstCommit({ gitOf: deps.gitOf, now: () => deps.clock().getTime() })
  }

  /** Resolves once the projects of the database are known. */
  ready(): Promise<void> {
    this.#loading ??= this.reload()
    return this.#loading
  }

  /** Reads the projects again after a change; the first time adds those that older rows name. */
  async reload(): Promise<void> {
    const { projects } = this.#deps.store.tables
    const [rows, keys, places] = await Promise.all([projects.all(), projects.keys(), projects.places()])
    this.#rows.clear()
    this.#keys.clear()
    this.#spellings.clear()
    this.#places.clear()
    for (const row of rows) this.#rows.set(row.key, row)
    for (const { key, project } of keys) this.#keep(key, project)
    for (const place of places) this.#places.set(place.path, place)
    if (rows.length === 0) await this.#addNamedByRows()
  }

  list(): ProjectRow[] {
    return [...this.#rows.values()]
  }

  row(key: string): ProjectRow | undefined {
    return this.#rows.get(this.canonical(key))
  }

  /** Returns the key of the project that a key belongs to; an unknown key stands for itself. */
  canonical(key: string): string {
    return this.#keys.get(key) ?? key
  }

  /** Returns every key that rows of a project may have. */
  keysOf(key: string): string[] {
    const project = this.canonical(key)
    const keys = [...this.#keys].filter(([, owner]) => owner === project).map(([one]) => one)
    return keys.includes(project) ? keys : [project, ...keys]
  }

  placesOf(key: string): PlaceRow[] {
    const project = this.canonical(key)
    return [...this.#places.values()].filter(place => place.project === project)
  }

  /** Returns the short name of a project for people. */
  nameOf(key: string): string {
    return this.row(key)?.name ?? shortNameOf(key)
  }

  /**
   * Resolves a caller's word for a project: a key, a short name that only one project has, a path inside it
   * or a remote. An unknown name is a project of that name.
   * @throws AppError `validation_failed` for a name that several projects have
   */
  async resolve(given: string, { isHere, adds }: LookupOptions): Promise<string> {
    await this.ready()
    const text = given.trim().normalize('NFC')
    const folder = absolutePath(text)
    const known = (folder && this.#keys.get(folder)) ?? this.#keys.get(text)
    if (known !== undefined) return known
    if (folder !== undefined)
      return (isHere && isAbsolute(text) && (await this.#at(folder, adds))?.project) || folder
    const remote = remoteKey(text) ?? bareRemoteKey(text)
    const named = remote === undefined ? this.#named(text) : this.#keys.get(remote)
    if (named !== undefined) return named
    return adds ? this.#add(remote ?? text) : (remote ?? text)
  }

  /**
   * Returns where a folder on this machine belongs: by the setting `projects`, by SERVICE_PROJECT, or by its
   * files (projects.md#keys). A folder of another machine is named by its path.
   */
  async locate(folder: string, { isHere, adds, reads }: LookupOptions): Promise<Location> {
    await this.ready()
    const path = absolutePath(folder) ?? folder
    const name = await this.#nameFor(path, isHere)
    const found = isHere && isAbsolute(folder) ? await this.#at(path, adds, reads) : undefined
    if (name !== undefined)
      return { project: await this.resolve(name, { isHere, adds }), repository: found?.repository }
    return (
      found ?? {
        project: this.canonical(path),
        repository: undefined,
        ...(isHere && { isGone: true as const }),
      }
    )
  }

  /** Runs a change of the tables in one transaction and reads the result. Changes run one after another. */
  change<T>(work: (tables: Tables['projects']) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      const result = await this.#deps.store.transaction(async ({ projects, meta }) => {
        // Other daemons on the database hear of it by its number, and read the projects again.
        if (this.#deps.store.changes) await meta.nextChange()
        return work(projects)
      })
      await this.reload()
      return result
    })
  }

  async #at(folder: string, adds: boolean, reads?: FolderReads): Promise<Location | undefined> {
    const identity = await this.#identityOf(folder, reads)
    if (!identity) return this.#ofRemovedFolder(folder, adds)
    return this.#ofIdentity(identity, adds)
  }

  #identityOf(folder: string, reads?: FolderReads): Promise<FolderIdentity | undefined> {
    return identify(folder, {
      reads,
      keyOfPlace: path => this.#places.get(path)?.project,
      firstCommit: this.#firstCommit,
      gitSettings: userGitSettings(this.#deps.environment),
    })
  }

  async #ofIdentity(identity: FolderIdentity, adds: boolean): Promise<Location> {
    const place = this.#places.get(identity.place)
    const { repository } = identity
    if (place?.fixed === 1) return { project: place.project, repository }
    const key = this.#acceptedKey(identity)
    const project = adds ? await this.#enter({ ...identity, key }) : this.canonical(key)
    return { project, repository }
  }

  /** A removed worktree still belongs to its project, a removed folder to the repository around it. */
  async #ofRemovedFolder(folder: string, adds: boolean): Promise<Location | undefined> {
    for (let at = folder; ; at = dirname(at)) {
      const place = this.#places.get(at.normalize('NFC'))
      if (place) return { project: place.project, repository: undefined }
      if (at === dirname(at)) return undefined
      if ((await realFolder(at)) === undefined) continue
      const around = await this.#identityOf(at)
      return around?.repository && this.#ofIdentity(around, adds)
    }
  }

  /** A file outside a repository must not pose as the project of a repository. */
  #acceptedKey({ key, source, place }: FolderIdentity): string {
    if (source !== 'name') return key
    const project = this.canonical(key)
    const isRepository =
      project !== key || this.placesOf(project).some(({ path }) => path !== place && project !== key)
    return isRepository ? place : key
  }

  /** Notes that a folder is in use; adds its project and place if they are new. */
  async #enter({ key, name, place, source }: FolderIdentity): Promise<string> {
    const known = this.#keys.get(key)
    const owner = this.#places.get(place)?.project
    if (known !== undefined && owner === known && this.#otherSpellings(place, known).length === 0)
      return this.#noteUse(known)
    return this.#inTurn(async () => {
      const now = this.#deps.clock().toISOString()
      const joined = this.#joinable({ key, name, place, source })
      await this.#deps.store.transaction(async ({ projects }) => {
        const project = known ?? key
        await projects.add({ key: project, name, created_at: now, used_at: now })
        if (this.#rows.get(project)?.name === project) await projects.rename(project, name)
        await projects.putKey(project, project)
        await projects.putPlace({ path: place, project, fixed: 0, seen_at: now })
        for (const from of joined)
          await joinWithin(projects, this, {
            from,
            into: project,
            by: 'automatic',
            now,
            id: this.#deps.newId(),
          })
      })
      await this.reload()
      for (const from of joined) this.#deps.log.info({ from, into: key }, 'project joined by itself')
      return this.canonical(key)
    })
  }

  /**
   * Returns the projects that are surely the same as the folder's: the one named by its path, one that only
   * this place had under a local key, one with another spelling of its path, and a project without places
   * whose name only this repository has.
   */
  #joinable({ key, name, place, source }: Omit<FolderIdentity, 'repository'>): string[] {
    const into = this.canonical(key)
    const found = new Set<string>(this.#otherSpellings(place, into))
    const owner = this.#places.get(place)?.project
    if (owner !== undefined && owner !== into && isLocalKey(owner) && this.placesOf(owner).length === 1)
      found.add(owner)
    const byPath = this.#keys.get(place)
    if (byPath !== undefined && byPath !== into) found.add(byPath)
    if (source === 'remote' || source === 'commit')
      for (const wanted of new Set([name, shortNameOf(place)])) {
        const row = this.#rows.get(wanted)
        const isOnlyName = row && this.placesOf(wanted).length === 0 && this.canonical(wanted) === wanted
        const others = this.list().filter(
          one => one.key !== into && one.key !== wanted && this.#hasName(one.key, wanted),
        )
        if (isOnlyName && wanted !== into && others.length === 0) found.add(wanted)
      }
    return [...found]
  }

  #keep(key: string, project: string): void {
    this.#keys.set(key, project)
    const path = absolutePath(key)
    if (path !== undefined && path !== key)
      this.#spellings.set(path, [...(this.#spellings.get(path) ?? []), key])
  }

  /** Returns other projects named by this path in another spelling. */
  #otherSpellings(place: string, project: string): string[] {
    const owners = (this.#spellings.get(place) ?? []).map(key => this.canonical(key))
    return owners.filter(owner => owner !== project)
  }

  async #noteUse(key: string): Promise<string> {
    const row = this.#rows.get(key)
    const now = this.#deps.clock()
    if (row && now.getTime() - Date.parse(row.used_at) > hourMs) {
      row.used_at = now.toISOString()
      await this.#deps.store.write({ until: 'executed' }, ({ projects }) => projects.use(key, row.used_at))
    }
    return key
  }

  async #add(key: string): Promise<string> {
    await this.change(async projects => {
      const now = this.#deps.clock().toISOString()
      await projects.add({ key, name: shortNameOf(key), created_at: now, used_at: now })
      await projects.putKey(key, key)
    })
    return this.canonical(key)
  }

  /** @throws AppError `validation_failed` when several projects have the name */
  #named(text: string): string | undefined {
    const found = this.list().filter(({ key }) => this.#hasName(key, text))
    if (found.length < 2) return found[0]?.key
    const keys = found.map(({ key }) => key).sort()
    throw new AppError(
      'validation_failed',
      `${keys.length} projects are called "${text}": ${keys.join(', ')}. Give the key, or rename one: memory projects rename KEY NAME`,
    )
  }

  #hasName(key: string, name: string): boolean {
    return (
      this.#rows.get(key)?.name === name || this.placesOf(key).some(({ path }) => basename(path) === name)
    )
  }

  /** Returns the name that settings give a folder, under its path as said or its real one. */
  async #nameFor(folder: string, isHere: boolean): Promise<string | undefined> {
    const names = Object.entries(this.#deps.configuration().settings.projects)
    const said = names.length > 0 ? nameBySettings(names, folder) : undefined
    const real = names.length > 0 && isHere && said === undefined ? await realFolder(folder) : undefined
    return (
      said ?? (real && nameBySettings(names, real)) ?? (this.#deps.environment.SERVICE_PROJECT || undefined)
    )
  }

  async #addNamedByRows(): Promise<void> {
    const { store } = this.#deps
    const named = await store.tables.projects.named()
    if (named.length === 0) return
    await store.transaction(async ({ projects }) => {
      for (const { project: key, at } of named) {
        await projects.add({ key, name: shortNameOf(key), created_at: at, used_at: at })
        await projects.putKey(key, key)
      }
    })
    for (const { project: key, at } of named) {
      this.#rows.set(key, { key, name: shortNameOf(key), created_at: at, used_at: at })
      this.#keep(key, key)
    }
  }
}

/** A key that only this machine knows: a path or a first commit. */
function isLocalKey(key: string): boolean {
  return posix.isAbsolute(key) || win32.isAbsolute(key) || key.startsWith('git:')
}

/** A join of two projects. */
export interface Join {
  id: string
  from: string
  into: string
  by: string
  now: string
}

/** Keys and folders that a join moved, for its undo. */
export interface JoinDetails {
  from: ProjectRow
  keys: string[]
  places: PlaceRow[]
}

/** Moves keys and places of one project to another in the caller's transaction, and records the undo. */
export async function joinWithin(
  tables: Tables['projects'],
  known: Pick<Projects, 'row' | 'keysOf' | 'placesOf'>,
  { id, from, into, by, now }: Join,
): Promise<JoinDetails> {
  const row = known.row(from) ?? { key: from, name: shortNameOf(from), created_at: now, used_at: now }
  const details = { from: row, keys: known.keysOf(from), places: known.placesOf(from) }
  for (const key of details.keys) await tables.putKey(key, into)
  for (const place of details.places) await tables.putPlace({ ...place, project: into })
  await tables.drop(from)
  await tables.noteChange({
    id,
    kind: 'join',
    project: into,
    details: JSON.stringify(details),
    at: now,
    by,
    undone_at: null,
  })
  return details
}
