import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { basename } from 'node:path'

export default {
  // Translated by scripts/test.js.
  files: ['.test-build/test/**/*.test.js'],
  nodeArguments: ['--enable-source-maps'],
  // Native modules (SQLite, ONNX) are loaded in child processes, never in worker threads.
  workerThreads: false,
  // Tests of commands, kills and limits wait more than they compute.
  concurrency: availableParallelism() + 2,
  sortTestFiles: (a, b) => placeOf(a) - placeOf(b),
  // Without any news: a busy machine may take long over one test.
  timeout: '8m',
}

/**
 * Where in a run a file begins. Those of the API compute and those of commands wait, so they are mixed; what takes
 * longest comes early, and last what is short, so that no core waits at the end.
 */
function placeOf(file) {
  const mixed = createHash('sha1').update(basename(file)).digest().readUInt32BE() / 2 ** 32
  if (/-kill\.|repair|extractor|code-indexer|[\\/]local\.|browse\.|in-turn|[\\/]api[\\/]beside/u.test(file))
    return mixed / 2
  if (/[\\/]test[\\/](?:api|e2e)[\\/]/u.test(file)) return mixed
  return /[\\/]beside/u.test(file) ? 1 + mixed : 2 + mixed
}
