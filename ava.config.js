export default {
  files: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
  extensions: { ts: 'module', tsx: 'module' },
  nodeArguments: ['--import=tsx'],
  // Native modules (SQLite, ONNX) are loaded in child processes, never in worker threads.
  workerThreads: false,
  timeout: '2m',
}
