import { parentPort } from 'node:worker_threads'

await import('../../../../../.test-build/threads/index-thread.js')
// A search takes more than one turn, so the thread dies before its answer.
parentPort.on('message', ({ name, given }) => {
  if (name === 'search' && given[0].text === 'crash now') process.exit(7)
})
