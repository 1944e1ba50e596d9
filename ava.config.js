import { availableParallelism } from 'node:os'

export default {
  // Translated by scripts/test.js.
  files: ['.test-build/test/**/*.test.js'],
  nodeArguments: ['--enable-source-maps'],
  // Native modules (SQLite, ONNX) are loaded in child processes, never in worker threads.
  workerThreads: false,
  // Tests of kills and limits wait more than they compute.
  concurrency: availableParallelism() + 1,
  // Without any news: a busy machine may take long over one test.
  timeout: '4m',
}
