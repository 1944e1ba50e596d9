import { fileURLToPath } from 'node:url'

/** Where the module of a worker thread or a child process is: its source, and the bundle that it is built into, beside the others. */
export interface ThreadModule {
  /** Of the module that asks: a source, or a bundle that it became part of. */
  from: string
  /** Relative to the source that asks. */
  source: string
  bundle: string
  /** What loads it from a code cache, for a daemon that is a script with one itself. */
  cached?: string
}

/** What to start a worker thread from, whether the sources run or what was built of them. */
export function threadUrl({ from, source, bundle, cached }: ThreadModule): URL {
  if (cached !== undefined && from.endsWith('.cjs')) return new URL(cached, from)
  if (!from.endsWith('.ts')) return new URL(bundle, from)
  const imports = [new URL('./thread-from-source.js', import.meta.url), new URL(source, from)]
  const text = imports.map(url => `await import(${JSON.stringify(url)})`).join('\n')
  return new URL(`data:text/javascript,${encodeURIComponent(text)}`)
}

/** What to fork a child process from, likewise. */
export function forkFrom({ from, source, bundle }: ThreadModule): { file: string; execArgv: string[] } {
  if (!from.endsWith('.ts')) return { file: fileURLToPath(new URL(bundle, from)), execArgv: [] }
  const loader = new URL('./thread-from-source.js', import.meta.url)
  return { file: fileURLToPath(new URL(source, from)), execArgv: [`--import=${loader}`] }
}
