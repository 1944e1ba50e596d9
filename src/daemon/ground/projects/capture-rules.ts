import { createHash } from 'node:crypto'
import { dirname, isAbsolute } from 'node:path'
import picomatch from 'picomatch'
import type { CaptureMatch, CaptureSettings } from '../../../contract/sessions/capture-rules.js'
import { within } from '../../../lib/concurrency/stop-waiting.js'
import { homeFolder } from '../../../lib/files/folders.js'
import { type FolderReads, folderReads, projectFile } from './identify.js'
import type { Location, Projects } from './projects.js'
import { headOf } from './repository.js'

interface SessionOrigin {
  cwd?: string | null | undefined
  /** Key or name. */
  project?: string | null | undefined
  harness: string | undefined
  /** False for a caller on another machine, whose folders are not read. */
  isHere: boolean
  /** Folders that the same call has read already. */
  reads?: FolderReads
}

/** The decision about a session, and the rule that made it. */
export interface CaptureVerdict {
  isCaptured: boolean
  by: string
}

/** A folder on a disk that does not answer is not waited for. */
const lookMs = 2500

/** Decides by settings and `.memory.yaml` if a session is captured (sessions.md#capture-rules). */
export async function captureVerdict(
  projects: Projects,
  { mode, rules }: CaptureSettings,
  asked: SessionOrigin,
): Promise<CaptureVerdict> {
  const { cwd, isHere, reads = folderReads() } = asked
  const slow = new Error('the folder does not answer')
  const look = async (): Promise<CaptureVerdict> => {
    if (cwd && isHere && isAbsolute(cwd) && (await optsOut(cwd, reads)))
      return { isCaptured: false, by: projectFile }
    if (rules.length === 0) return { isCaptured: mode === 'on', by: 'mode' }
    const place = await placeOf(projects, { ...asked, reads })
    for (const rule of rules.toReversed()) {
      const match = 'exclude' in rule ? rule.exclude : rule.include
      if (await fits(projects, match, asked, place))
        return { isCaptured: 'include' in rule, by: JSON.stringify(rule) }
    }
    return { isCaptured: mode === 'on', by: 'mode' }
  }
  try {
    return await within(look(), lookMs, () => slow)
  } catch (error) {
    if (error !== slow) throw error
    // Nothing is captured that a rule may exclude.
    return { isCaptured: rules.length === 0 && mode === 'on', by: 'mode' }
  }
}

/** True if the nearest `.memory.yaml` that speaks of capture says `off`. */
async function optsOut(folder: string, reads: FolderReads): Promise<boolean> {
  const real = await reads.real(folder)
  if (real === undefined) return false
  for (let at = real; ; at = dirname(at)) {
    const capture = (await reads.projectFile(at))?.capture
    // YAML 1.1 reads `off` as false.
    if (capture !== undefined) return capture === 'off' || capture === false
    if (dirname(at) === at) return false
  }
}

interface SessionPlace {
  project: string | undefined
  repository: Location['repository']
}

/** A project that the call names comes before that of its folder. */
async function placeOf(
  projects: Projects,
  { cwd, project, isHere, reads }: SessionOrigin,
): Promise<SessionPlace> {
  const lookup = { isHere, adds: false, reads }
  const folder = cwd ? await projects.locate(cwd, lookup) : undefined
  const named = project ? await projects.resolve(project, lookup) : undefined
  return { project: named ?? folder?.project, repository: folder?.repository }
}

async function fits(
  projects: Projects,
  match: CaptureMatch,
  { cwd, harness, isHere }: SessionOrigin,
  place: SessionPlace,
): Promise<boolean> {
  const { project: wanted, folder, branch, agent } = match
  if (agent !== undefined && agent !== harness) return false
  if (folder !== undefined && !(cwd && isInFolder(folder, cwd))) return false
  if (branch !== undefined) {
    const current = place.repository && (await headOf(place.repository)).branch
    if (!current || !picomatch.isMatch(current, branch)) return false
  }
  if (wanted === undefined) return true
  const key = place.project
  if (!key) return false
  if (wanted.startsWith(hashMark)) return wanted === projectHash(key)
  return (await projects.resolve(wanted, { isHere, adds: false })) === key
}

function isInFolder(folder: string, cwd: string): boolean {
  const path = folder.replace(/^~(?=$|[/\\])/u, homeFolder() ?? '~').replace(/(?<![/\\])[/\\]+$/u, '')
  const options = { dot: true, nocase: process.platform === 'win32' }
  return picomatch.isMatch(cwd, [path, `${path}/**`], options)
}

const hashMark = 'sha256:'

/** The form in which `memory capture off` names a project, so that the settings do not tell its name. */
export function projectHash(key: string): string {
  return `${hashMark}${createHash('sha256').update(key).digest('hex')}`
}
