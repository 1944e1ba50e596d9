import { readFileSync } from 'node:fs'
import {
  type UpdateErrorCode,
  type UpdateRecord,
  updateRecord,
} from '../../../contract/operations/updates.js'
import { replaceFile } from '../../../lib/files/replace-file.js'
import { jsonOf } from '../../../lib/text/json-of.js'
import { isNewer } from '../../../lib/workspace/version.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'paths' | 'version'>

export interface UpdateFaultDetails {
  /** Output of a program. */
  output?: string
  /** Command a person may run instead. */
  command?: string
  /** Version reported by the active executable. */
  observedVersion?: string | null
  cause?: unknown
}

/**
 * The saved record; empty when the file is missing or damaged, since everything in it can be determined
 * again.
 */
export function readRecord({ paths }: Pick<Deps, 'paths'>): UpdateRecord {
  return updateRecord.parse(recordIn(paths.updateRecord))
}

/** Saves changed fields. @throws node's error; the old file is then unchanged */
export function noteRecord(deps: Pick<Deps, 'paths'>, changes: Partial<UpdateRecord>): void {
  const next = { ...readRecord(deps), ...changes }
  replaceFile(deps.paths.updateRecord, `${JSON.stringify(next, null, 2)}\n`, 0o600)
}

/** The installed version that awaits a restart; null after the restart. */
export async function pendingVersion(deps: Deps): Promise<string | null> {
  const { pendingRestartVersion: pending } = readRecord(deps)
  return pending !== null && (await isNewer(pending, deps.version)) ? pending : null
}

function recordIn(file: string): unknown {
  try {
    const read = updateRecord.safeParse(jsonOf(readFileSync(file, 'utf8')))
    return read.success ? read.data : {}
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

/** Why a release could not be found or installed, in words for people (operations.md 2.4). */
export class UpdateFault extends Error {
  override name = 'UpdateFault'
  readonly output: string
  readonly command: string | null
  readonly observedVersion: string | null

  constructor(
    readonly code: UpdateErrorCode,
    message: string,
    { output = '', command, observedVersion = null, cause }: UpdateFaultDetails = {},
  ) {
    super(message, { cause })
    this.output = output
    this.command = command ?? null
    this.observedVersion = observedVersion
  }
}
