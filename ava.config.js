export default {
  // Translated by scripts/test.js.
  files: ['.test-build/test/**/*.test.js'],
  nodeArguments: ['--enable-source-maps'],
  // Native modules (SQLite, ONNX) are loaded in child processes, never in worker threads.
  workerThreads: false,
  timeout: '2m',
}
