import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import { AppError } from '../../../contract/ground/errors.js'
import { settings as schema } from '../../../contract/settings.js'
import { oneAtATime } from '../../../lib/concurrency/one-at-a-time.js'
import { replaceFile } from '../../../lib/files/replace-file.js'
import { isRecord, jsonOf, valueAt } from '../../../lib/text/json-of.js'
import { messageOf } from '../../../lib/text/message-of.js'
import {
  checkSettingsText,
  formatProblem,
  readSettingsText,
  SettingsError,
  type SettingsProblem,
  valuesInText,
  withValues,
} from '../../../lib/workspace/settings-file.js'
import { isUnavailable } from '../../../store/faults.js'
import type { Store } from '../../../store/store.js'
import type { Tables } from '../../../store/tables/tables.js'
import {
  differences,
  type GivenValues,
  type SettingDifference,
  securityDifferences,
  setAt,
  withPersonsChanges,
} from './security-settings.js'
import type { SettingsRecord } from './settings-record.js'
import { changeFile, type Loaded, type SharedSettings, soundOrThrow, withHeld } from './waiting-settings.js'

/** Settings of a daemon and its machine. Several daemons on one database share all others. */
const ofNode: readonly (readonly string[])[] = [
  ['daemon'],
  ['storage'],
  ['index'],
  ['git'],
  ['sync'],
  ['backup'],
  ['update'],
  ['projects'],
  ['embedding', 'modelPath'],
  ['auth', 'mode'],
  ['auth', 'openToNetwork'],
  ['auth', 'localUsers'],
  ['auth', 'remoteAdminMayRun'],
  ['auth', 'folders'],
  ['auth', 'publicUrl'],
]

const tryAgainMs = 2000

/** The database whose daemons share their settings. */
export interface TeamPlace {
  store: Pick<Store, 'tables' | 'transaction'>
  /** Names the database. */
  place: string
  /** Keeps an agent.yaml that the settings of the team replace. */
  formerFile: string
}

interface TeamDeps {
  file: string
  record: SettingsRecord
  log: Logger
  /** The values of a text; undefined when they are not applied. */
  sound(text: string): Loaded | undefined
  inForce(): Loaded
  reread(): void
}

interface Row {
  values: GivenValues
  change: number
}

/**
 * The settings that several daemons share: a row of the database, which counts. Each daemon copies it into
 * its agent.yaml, whose comments stay, and takes edits of that file as changes of single values.
 */
export class TeamSettings implements SharedSettings {
  private row: Row = { values: {}, change: 0 }
  private refused: SettingsProblem[] = []
  private differed: SettingsProblem[] = []
  private notShared: SettingsProblem[] = []
  private notWritten: SettingsProblem[] = []
  /** The file's values at the start, and when it was last read or written. */
  private started: GivenValues = {}
  private last: GivenValues = {}
  private again: NodeJS.Timeout | undefined
  private isClosed = false
  private readonly inTurn = oneAtATime()

  constructor(
    private readonly deps: TeamDeps,
    private readonly team: TeamPlace,
  ) {}

  /**
   * Puts the settings of the team in force; the first daemon makes them of its file. A later file counts
   * only where a person edited it since this daemon stopped: a deployment may bring the first one again.
   * @throws AppError `storage_unavailable`
   */
  start(): Promise<void> {
    return this.inTurn(async () => {
      const { record, sound, inForce, reread } = this.deps
      const text = this.text()
      const own = teamPart((sound(text) ?? inForce()).given)
      const noted = record.team()
      const known = noted?.place === this.team.place ? noted : undefined
      const isEdit = ({ path, after }: SettingDifference): boolean =>
        !isDeepStrictEqual(valueAt(known?.started, path), after)
      const edits = known ? differences(known.last, own).filter(isEdit) : []
      Object.assign(this, { started: own, last: known?.last ?? own })
      const isTaken = await this.take(edits, own)
      reread()
      if (!known) this.noteDiffering(text, differences(own, this.row.values))
      if (isTaken) this.copyToFile(text)
    })
  }

  over(loaded: Loaded): Loaded {
    if (this.row.change === 0) return loaded
    const { refused, ...over } = withTeam(loaded, this.row.values)
    this.refused = refused
    return over.loaded
  }

  problems(): SettingsProblem[] {
    return [...this.refused, ...this.differed, ...this.notShared, ...this.notWritten]
  }

  shown(text: string): string {
    const { file, record, sound } = this.deps
    const loaded = sound(text)
    if (!loaded) return text
    const held = record.held()
    const waits = held ? securityDifferences(held, valuesInText(text)) : []
    const due = differences(teamPart(loaded.given), withTeam(loaded, this.row.values).values).filter(
      ({ path }) => !waits.some(one => isDeepStrictEqual(one.path, path)),
    )
    const values = due.map(({ path, after }) => [path, after] as const)
    try {
      return values.length === 0 ? text : withValues(file, text, values)
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error
      return text
    }
  }

  edit(make: (text: string) => string): Promise<void> {
    return this.inTurn(async () => {
      const { file, record, reread } = this.deps
      const check = (text: string) => checkSettingsText(file, text, schema)
      const text = changeFile(() => readSettingsText(file)) ?? ''
      const before = this.shown(text)
      const next = make(before)
      const held = record.held()
      const heldAfter = held && withPersonsChanges(held, check(before).given, check(next).given)
      const [was, now] = [withHeld(check(before), held), soundOrThrow(withHeld(check(next), heldAfter))]
      const edits = differences(teamPart(was.given), teamPart(now.given))
      if (edits.length > 0) this.row = await this.write(edits, undefined, assertUnchanged)
      // Somebody may have edited the file while the database was asked.
      const mine = this.text() === text ? next : make(this.shown(this.text()))
      record.hold(heldAfter)
      const isForAll = edits.length > 0 && differences(nodePart(was.given), nodePart(now.given)).length === 0
      this.writeFile(text, this.shown(mine), !isForAll)
      reread()
      this.noteFile()
    })
  }

  exchange(): Promise<void> {
    return this.inTurn(() => this.pass())
  }

  async settle(): Promise<void> {
    clearTimeout(this.again)
    await this.exchange().catch(error => {
      if (this.isClosed) return
      this.deps.log.warn({ err: error }, 'settings not exchanged with the team')
      if (isUnavailable(error)) this.again = setTimeout(() => void this.settle(), tryAgainMs).unref()
    })
  }

  async follow(change: number): Promise<void> {
    if (change !== this.row.change) await this.exchange()
  }

  async close(): Promise<void> {
    this.isClosed = true
    clearTimeout(this.again)
    await this.inTurn(async () => undefined)
  }

  private async pass(): Promise<void> {
    if (this.isClosed || this.row.change === 0) return
    const { sound, reread } = this.deps
    const text = this.text()
    const loaded = sound(text)
    const isTaken = await this.take(loaded ? differences(this.last, teamPart(loaded.given)) : [])
    reread()
    if (isTaken) this.copyToFile(text)
  }

  /** Takes the row, with edits of the file. @returns whether these fit the others */
  private async take(edits: readonly SettingDifference[], first?: GivenValues): Promise<boolean> {
    this.notShared = []
    try {
      this.row = edits.length > 0 || first ? await this.write(edits, first) : await this.read()
      return true
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'conflict') throw error
      this.notShared = [this.problem(error.message)]
      this.deps.log.warn(`agent.yaml not applied: ${error.message}`)
      this.row = await this.read()
      return false
    }
  }

  /** The file; empty when it can't be read, which is never sound. */
  private text(): string {
    try {
      return readSettingsText(this.deps.file) ?? ''
    } catch (error) {
      if (error instanceof SettingsError) return ''
      throw error
    }
  }

  private async read(): Promise<Row> {
    return (await rowOf(this.team.store.tables)) ?? this.row
  }

  /** Changes single values of the row, so that those of others stay. @param first makes the first row */
  private write(
    edits: readonly SettingDifference[],
    first: GivenValues = this.row.values,
    assertMay: (values: GivenValues, edit: SettingDifference) => void = () => undefined,
  ): Promise<Row> {
    return this.team.store.transaction(async tables => {
      const row = await rowOf(tables)
      const values = structuredClone(row?.values ?? first)
      for (const edit of edits) {
        assertMay(values, edit)
        setAt(values, edit.path, structuredClone(edit.after))
      }
      if (row && isDeepStrictEqual(values, row.values)) return row
      this.assertTaken(values, edits)
      const change = await tables.meta.nextChange()
      await tables.meta.noteTeamSettings(JSON.stringify(values), change)
      return { values, change }
    })
  }

  /** @throws AppError `conflict` when an edited value does not fit those of the others */
  private assertTaken(values: GivenValues, edits: readonly SettingDifference[]): void {
    const loaded = this.deps.sound(this.text())
    if (!loaded || edits.length === 0) return
    const { refused } = withTeam(loaded, values)
    const problem = refused.find(({ key }) => edits.some(({ path }) => key.startsWith(path.join('.'))))
    if (problem)
      throw new AppError('conflict', `the settings of the team were not changed: ${formatProblem(problem)}`)
  }

  /** Copies the row into a file that nobody has edited since `text`; otherwise the next pass does. */
  private copyToFile(text: string): void {
    if (this.text() !== text) return void this.settle()
    const { record } = this.deps
    const held = record.held()
    const loaded = this.deps.sound(text)
    if (!loaded) return
    const shown = this.shown(text)
    if (held) record.hold(withPersonsChanges(held, loaded.given, this.over(loaded).given))
    this.writeFile(text, shown, false)
    this.noteFile()
  }

  /** @throws Error when a file that `must` be written can't be */
  private writeFile(text: string, next: string, must: boolean): void {
    this.notWritten = []
    if (next === text) return
    try {
      replaceFile(this.deps.file, next, 0o600)
    } catch (error) {
      if (must) throw error
      this.notWritten = [
        this.problem(`the settings of the team are in force, but not written here: ${messageOf(error)}`),
      ]
    }
  }

  /** Notes what the file says, so that the next edit by hand is seen. */
  private noteFile(): void {
    const loaded = this.deps.sound(this.text())
    if (!loaded) return
    const { record, log } = this.deps
    const { started } = this
    this.last = teamPart(loaded.given)
    try {
      record.noteTeam({ place: this.team.place, last: this.last, started })
    } catch (error) {
      log.warn({ err: error }, 'not noted what agent.yaml says of the settings of the team')
    }
  }

  /** Keeps a file whose values the team's replace, and says so until the next start. */
  private noteDiffering(text: string, differing: readonly SettingDifference[]): void {
    if (differing.length === 0) return
    const { log } = this.deps
    const { formerFile } = this.team
    const keys = differing.map(({ path }) => path.join('.')).join(', ')
    try {
      replaceFile(formerFile, text, 0o600)
    } catch (error) {
      log.warn({ err: error }, 'the former agent.yaml was not kept')
    }
    const problem = this.problem(
      `had other values for ${keys} than the settings of the team, which are in force; the former file is ${formerFile}`,
    )
    this.differed = [problem]
    log.warn(formatProblem(problem))
  }

  private problem(message: string): SettingsProblem {
    return { file: this.deps.file, line: 0, key: '', message }
  }
}

async function rowOf({ meta }: Pick<Tables, 'meta'>): Promise<Row | undefined> {
  const row = await meta.teamSettings()
  const values = row && jsonOf(row.values)
  return row && isRecord(values) ? { values, change: row.change } : undefined
}

/** @throws AppError `conflict` when another daemon changed the value that is edited */
function assertUnchanged(values: GivenValues, { path, before, after }: SettingDifference): void {
  const now = valueAt(values, path)
  if (isDeepStrictEqual(now, before) || isDeepStrictEqual(now, after)) return
  throw new AppError(
    'conflict',
    `${path.join('.')} was changed at another daemon meanwhile; read the settings again and repeat your change`,
  )
}

/** Returns the settings that daemons share, among given values. */
function teamPart(given: unknown): GivenValues {
  const part = isRecord(given) ? structuredClone(given) : {}
  for (const path of ofNode) setAt(part, path, undefined)
  return part
}

function nodePart(given: unknown): GivenValues {
  const part: GivenValues = {}
  for (const path of ofNode) {
    const value = valueAt(given, path)
    if (value !== undefined) setAt(part, path, structuredClone(value))
  }
  return part
}

/**
 * Puts the values of the team in place of the file's. Another release may have written some that this one
 * does not allow: they are left out.
 */
function withTeam(
  loaded: Loaded,
  team: GivenValues,
): { loaded: Loaded; values: GivenValues; refused: SettingsProblem[] } {
  const check = (values: GivenValues) => {
    const given = structuredClone(values)
    for (const path of ofNode) setAt(given, path, structuredClone(valueAt(loaded.given, path)))
    return { ...checkSettingsText('settings of the team', JSON.stringify(given), schema), given }
  }
  const values = teamPart(team)
  const first = check(values)
  const refused = first.errors
  for (const { key } of refused) setAt(values, key.split('.'), undefined)
  const { settings, errors, given } = refused.length === 0 ? first : check(values)
  if (errors.length > 0) return { loaded, values: teamPart(loaded.given), refused: errors }
  return { loaded: { ...loaded, settings, given }, values, refused }
}
