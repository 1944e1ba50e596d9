import { fileURLToPath } from 'node:url'

/**
 * Location of the module of a worker thread or child process: its source, and its bundle beside the other
 * bundles.
 */
export interface ThreadModule {
  /** `import.meta.url` of the calling module: a source, or the bundle that contains it. */
  from: string
  /** Relative to the calling source. */
  source: string
  bundle: string
  /** Script that loads the bundle from a code cache, if the daemon itself runs from one. */
  cached?: string
}

/** Returns the URL to start a worker thread from, for sources and bundles. */
export function threadUrl({ from, source, bundle, cached }: ThreadModule): URL {
  if (cached !== undefined && from.endsWith('.cjs')) return new URL(cached, from)
  if (!from.endsWith('.ts')) return new URL(bundle, from)
  const imports = [new URL('./thread-from-source.js', import.meta.url), new URL(source, from)]
  const text = imports.map(url => `await import(${JSON.stringify(url)})`).join('\n')
  return new URL(`data:text/javascript,${encodeURIComponent(text)}`)
}

/** Returns the arguments to fork a child process, for sources and bundles. */
export function forkFrom({ from, source, bundle }: ThreadModule): { file: string; execArgv: string[] } {
  if (!from.endsWith('.ts')) return { file: fileURLToPath(new URL(bundle, from)), execArgv: [] }
  const loader = new URL('./thread-from-source.js', import.meta.url)
  return { file: fileURLToPath(new URL(source, from)), execArgv: [`--import=${loader}`] }
}
