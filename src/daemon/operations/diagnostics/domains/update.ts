import { readFile } from 'node:fs/promises'
import type { DomainReport } from '../../../../contract/operations/diagnostics-domains.js'
import { packageFile } from '../../../../lib/package-root.js'
import { version as ownVersion } from '../../../../lib/version.js'
import { finding, fine, scored } from '../findings/finding.js'
import type { Look } from '../findings/look.js'

/** Whether the program that runs is the one that is installed. */
export async function updateDomain({ daemon }: Look): Promise<DomainReport<'update'>> {
  const installed = await installedVersion()
  const restartRequired = installed !== null && installed !== ownVersion
  return {
    ...scored([
      restartRequired
        ? finding({
            id: 'update',
            severity: 'warning',
            evidence: `${installed} is installed, ${ownVersion} runs`,
            fix: 'memory daemon restart',
          })
        : fine('update', ownVersion),
    ]),
    currentVersion: daemon.version,
    installedVersion: installed,
    restartRequired,
  }
}

/** Of the program on the disk now: an update replaces its files while the old one goes on. */
async function installedVersion(): Promise<string | null> {
  try {
    const { version } = JSON.parse(await readFile(packageFile('package.json'), 'utf8')) as {
      version?: unknown
    }
    return typeof version === 'string' ? version : null
  } catch {
    return null
  }
}
