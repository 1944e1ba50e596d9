import { parentPort, workerData } from 'node:worker_threads'

parentPort.on('message', () => undefined)
if (workerData.format !== 'never loads') parentPort.postMessage({ type: 'loaded' })
