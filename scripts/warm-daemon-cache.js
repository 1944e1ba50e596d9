import { join } from 'node:path'
import { inTemporaryWorkspace, runDaemon } from './run-daemon.js'

/** What is asked of a fresh daemon first. */
const requests = [
  ['POST', '/api/memory/remember', { content: 'the build made a code cache' }],
  ['POST', '/api/memory/recall', { query: 'code cache' }],
]

/**
 * Writes the code cache of the daemon's bundle by starting it once, on an empty workspace, for a save and a recall.
 * @param next is given the files of that workspace afterwards.
 */
export function warmDaemonCache(root, bundle, next) {
  return inTemporaryWorkspace(async workspace => {
    await runDaemon(root, { bundle, workspace, whenReady: `await ask(${JSON.stringify(requests)})\nsave()` })
    await next({
      database: join(workspace, 'memory', 'memories.db'),
      snapshot: join(workspace, '.daemon', 'index.snapshot'),
    })
  })
}
