import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Scope } from './daemon-process.js'

/**
 * A new folder, removed behind the test, also while a daemon that ends only then still writes into it.
 *
 * @param name How it begins; a blank in it is what paths of users have.
 * @returns its real path: a project is known by that.
 */
export function temporaryFolder(t: Scope, name = 'memory service', place: string = tmpdir()): string {
  const folder = realpathSync(mkdtempSync(join(place, `${name}-`)))
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}
