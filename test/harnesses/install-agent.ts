import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import type { CodingAgent } from './agent.js'

export interface InstalledAgent {
  version: string
  /** Path of the program. */
  program: string
  /** Folder of the Node that it needs, if ours may be older. */
  nodeFolder: string | undefined
}

/**
 * Installs the newest version of an agent into a cache folder, once for each version. It requests an exact
 * version: npm would otherwise choose an old one whose `engines` allow our Node. The programs are native and
 * run anyway.
 * @throws Error when the registry does not answer and nothing is installed.
 */
export async function installAgent(agent: CodingAgent, cache: string): Promise<InstalledAgent> {
  if (agent.registry === 'pypi') return installFromPython(agent, cache)
  const { name, package: packageName, binary, node } = agent
  const folder = join(cache, name)
  const program = join(
    folder,
    'node_modules',
    agent.folder ? join(packageName, agent.folder) : '.bin',
    binary,
  )
  const nodePackage = `node-${process.platform}-${process.arch}`
  const known = installedVersion(folder, packageName)
  const newest = await newestVersion(packageName)
  const version = newest ?? known
  if (version === undefined) throw new Error(`the npm registry returned no version of ${packageName}`)
  if (version !== known || !existsSync(program)) {
    mkdirSync(folder, { recursive: true })
    const manifest = { private: true, allowScripts: { [packageName]: true } }
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
    const packages = [`${packageName}@${version}`, ...(node ? [`${nodePackage}@${node}`] : [])]
    const words = ['install', ...packages, '--no-audit', '--no-fund', '--loglevel=error']
    await execa('npm', words, { cwd: folder, stdout: 'ignore', stderr: 'inherit' })
  }
  return { version, program, nodeFolder: node ? join(folder, 'node_modules', nodePackage, 'bin') : undefined }
}

/** Installs the newest version into an environment of Python. */
async function installFromPython(
  { name, package: packageName, binary }: CodingAgent,
  cache: string,
): Promise<InstalledAgent> {
  const folder = join(cache, name)
  const pip = join(folder, 'bin', 'pip')
  if (!existsSync(pip)) await execa('python3', ['-m', 'venv', folder])
  await execa(pip, ['install', '--quiet', '--upgrade', packageName], { stderr: 'inherit' })
  const { stdout } = await execa(pip, ['show', packageName.replace(/\[.*/u, '')])
  const version = /^Version: (.*)$/mu.exec(stdout)?.[1] ?? 'of unknown version'
  return { version, program: join(folder, 'bin', binary), nodeFolder: undefined }
}

async function newestVersion(packageName: string): Promise<string | undefined> {
  const { stdout, exitCode } = await execa('npm', ['view', packageName, 'dist-tags.latest'], {
    reject: false,
  })
  return exitCode === 0 ? stdout.trim() : undefined
}

function installedVersion(folder: string, packageName: string): string | undefined {
  try {
    const text = readFileSync(join(folder, 'node_modules', packageName, 'package.json'), 'utf8')
    return (JSON.parse(text) as { version: string }).version
  } catch {
    return undefined
  }
}
