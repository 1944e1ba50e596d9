import { parentPort } from 'node:worker_threads'

await import('../../../../../.test-build/threads/index-thread.js')
// It dies before it answers: a search takes more than one turn.
parentPort.on('message', ({ name, given }) => {
  if (name === 'search' && given[0].text === 'crash now') process.exit(7)
})
