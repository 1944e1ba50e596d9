import { existsSync, writeFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'

await import('../../../../../.test-build/threads/index-thread.js')
const mark = `${workerData.snapshot}.crashed`
// The first shard dies while it is searched for "crash": once, or each time if "zebra" is searched too.
parentPort.on('message', ({ name, given }) => {
  if (name !== 'shard' || given[0] !== 'begin' || workerData.shard.shard !== 0) return
  const terms = given[1][1]
  if (!terms.includes('crash') || (existsSync(mark) && !terms.includes('zebra'))) return
  writeFileSync(mark, '')
  process.exit(7)
})
