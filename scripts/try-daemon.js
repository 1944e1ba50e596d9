import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { everydayRequests } from './everyday-requests.js'
import { inTemporaryWorkspace, runDaemon } from './run-daemon.js'

/** Behind a start it makes ready what the first save needs, and counts events of use. */
const quietMs = 1500

/**
 * Runs a daemon twice, on a new workspace and on one that it left, for everyday requests.
 * @returns {Promise<{ atStart: Set<number>, ever: Set<number> }>} which chunks of its program ran until it was up, and all.
 */
export function tryDaemon(root, bundle) {
  return inTemporaryWorkspace(async workspace => {
    const list = join(workspace, 'made.json')
    const whenReady = `const atStart = exports.madeChunks()
      await ask(${JSON.stringify(everydayRequests)})
      await new Promise(resolve => setTimeout(resolve, ${quietMs}))
      process.once('exit', () => {
        writeFileSync(${JSON.stringify(list)}, JSON.stringify({ atStart, ever: exports.madeChunks() }))
      })`
    const made = { atStart: new Set(), ever: new Set() }
    for (let start = 0; start < 2; start++) {
      await runDaemon(root, { bundle, workspace, whenReady })
      const told = JSON.parse(await readFile(list, 'utf8'))
      for (const [name, numbers] of Object.entries(made)) for (const number of told[name]) numbers.add(number)
    }
    return made
  })
}
