import { parentPort } from 'node:worker_threads'

// Registered before the real worker's listener, so it dies before it answers.
parentPort.on('message', ({ texts }) => {
  if (texts.includes('crash now')) process.exit(7)
})
await import('../../../../.test-build/threads/embedding-worker.js')
