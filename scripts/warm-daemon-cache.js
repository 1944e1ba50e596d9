import { readdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { everydayRequests } from './everyday-requests.js'
import { inTemporaryWorkspace, runDaemon } from './run-daemon.js'

/**
 * Writes the code cache of the daemon's bundle by running everyday requests on an existing workspace with
 * settings and an index snapshot.
 * @param next receives the files of that workspace afterwards.
 * @throws when no matching cache was written.
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
