import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'

/** The suite needs a newer Node than this package, so it includes its own. */
const manifestOf = (version: string) => ({
  private: true,
  dependencies: { '@modelcontextprotocol/conformance': version, node: '24.21.0' },
  allowScripts: { node: true },
})

export interface Suite {
  node: string
  script: string
}

/** Installs the official conformance suite into a cache folder, once for each version. */
export async function installSuite(folder: string, version: string): Promise<Suite> {
  const modules = join(folder, 'node_modules')
  const done = join(folder, 'installed.json')
  const wanted = JSON.stringify(manifestOf(version))
  if (textOf(done) !== wanted) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), wanted)
    await execa('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
      stdio: 'inherit',
    })
    writeFileSync(done, wanted)
  }
  return {
    node: join(modules, 'node', 'bin', 'node'),
    script: join(modules, '@modelcontextprotocol', 'conformance', 'dist', 'index.js'),
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
