import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Scope } from './daemon-process.js'

/**
 * A new folder, removed after the test even if a stopping daemon still writes into it.
 * @param name prefix; the default has a blank, as users' paths may.
 * @returns its real path, by which projects are identified.
 */
export function temporaryFolder(t: Scope, name = 'memory service', place: string = tmpdir()): string {
  const folder = realpathSync(mkdtempSync(join(place, `${name}-`)))
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}
