import { readdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { everydayRequests } from './everyday-requests.js'
import { inTemporaryWorkspace, runDaemon } from './run-daemon.js'

/**
 * Writes the code cache of the daemon's bundle by starting it on a workspace that it left before, with settings and a
 * snapshot of its index, for what is asked every day.
 * @param next is given the files of that workspace afterwards.
 * @throws when there is no cache that fits.
 */
export function warmDaemonCache(root, bundle, next) {
  return inTemporaryWorkspace(async workspace => {
    await writeFile(join(workspace, 'agent.yaml'), 'embedding:\n  deadlineMs: 300\n')
    const asked = `await ask(${JSON.stringify(everydayRequests)})`
    await runDaemon(root, { bundle, workspace, whenReady: asked })
    await runDaemon(root, { bundle, workspace, whenReady: `${asked}\nsave()` })
    const files = await readdir(dirname(bundle))
    if (!files.some(file => file.startsWith(`${basename(bundle)}.`)))
      throw new Error(`no code cache was written for ${bundle}`)
    await next({
      database: join(workspace, 'memory', 'memories.db'),
      snapshot: join(workspace, '.daemon', 'index.snapshot'),
    })
  })
}
