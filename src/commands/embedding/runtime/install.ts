import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from '../../../cli/operations/daemon/supervisor/run-command.js'
import { CliCommand } from '../../../cli/shell/cli-command.js'
import { CliError } from '../../../cli/shell/cli-error.js'
import { print, printNote } from '../../../cli/terminal/output.js'
import { startSpinner } from '../../../cli/terminal/progress.js'
import { renamePatiently } from '../../../lib/files/patient-rename.js'
import { jsonOf } from '../../../lib/text/json-of.js'
import { nativeRuntime, nativeRuntimeFolder } from '../../../lib/workspace/model-folder.js'
import { workspacePaths } from '../../../lib/workspace/paths.js'

/** The package contains 290 MB for five platforms, which takes long on a slow connection. */
const installTimeoutMs = 30 * 60_000

export default class EmbeddingRuntimeInstall extends CliCommand {
  static override summary = 'Download the native runtime, which runs models several times faster.'
  static override description =
    'Without it, models run in WebAssembly, which works everywhere. The native runtime (ONNX Runtime, from ' +
    'npm) gives the same results. The download is 290 MB, of which only the files for this machine are kept. ' +
    'The daemon uses the runtime the next time it loads a model.'
  static override examples = ['<%= config.bin %> embedding runtime install']

  async run(): Promise<{ folder: string; version: string }> {
    await this.parse(EmbeddingRuntimeInstall)
    const spinner = startSpinner(`downloading ${nativeRuntime.name} ${nativeRuntime.version} with npm`)
    try {
      const folder = await installRuntime(workspacePaths(this.globals.workspace).runtime)
      spinner.stop()
      if (!this.jsonEnabled()) {
        print(`Installed ${nativeRuntime.name} ${nativeRuntime.version} in ${folder}`)
        printNote('Next: memory embedding status   shows the runtime once a model is loaded')
      }
      return { folder, version: nativeRuntime.version }
    } finally {
      spinner.stop()
    }
  }
}

/**
 * Lets npm fetch the native runtime, keeps only this platform's files, and verifies that it loads. The
 * previous runtime is replaced only after that.
 * @param runtimeDir absolute; replaced as a whole
 * @returns the folder of the runtime
 * @throws CliError `runtime_unavailable` if npm is missing or fails, or if the runtime cannot be loaded here
 */
async function installRuntime(runtimeDir: string): Promise<string> {
  const staging = `${runtimeDir}.new`
  await rm(staging, { recursive: true, force: true, maxRetries: 5 })
  await mkdir(staging, { recursive: true, mode: 0o700 })
  try {
    await fetchByNpm(staging)
    await keepPinned(staging)
    await removeOtherPlatforms(nativeRuntimeFolder(staging))
    await requireLoadable(nativeRuntimeFolder(staging))
    await rm(runtimeDir, { recursive: true, force: true, maxRetries: 5 })
    await renamePatiently(staging, runtimeDir)
    return nativeRuntimeFolder(runtimeDir)
  } finally {
    await rm(staging, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function fetchByNpm(folder: string): Promise<void> {
  // The package's install script would download libraries for graphics cards.
  const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund']
  const wanted = `${nativeRuntime.name}@${nativeRuntime.version}`
  const { ok, output } = await runCommand({
    words: ['npm', 'install', '--prefix', folder, ...flags, wanted],
    timeoutMs: installTimeoutMs,
  })
  if (ok) return
  const why = output ? `npm could not download ${wanted}: ${errorLine(output)}` : 'npm is not on the PATH'
  throw unavailable(why, ['npm --version', 'models still work without it, in WebAssembly'])
}

/**
 * Checks that the packages which are loaded are the ones this release was built with, and deletes all others,
 * which only their install scripts need. npm has checked their bytes against the sums it notes.
 * @throws CliError `runtime_unavailable`
 */
async function keepPinned(folder: string): Promise<void> {
  const modules = join(folder, 'node_modules')
  const lock = jsonOf(await readFile(join(modules, '.package-lock.json'), 'utf8').catch(() => ''))
  const noted = (lock as { packages?: Record<string, { integrity?: string }> } | undefined)?.packages ?? {}
  for (const [name, integrity] of Object.entries(nativeRuntime.integrity))
    if (noted[`node_modules/${name}`]?.integrity !== integrity)
      throw unavailable(`npm delivered another ${name} than the one this release was built with`, [
        'npm config get registry',
        'models still work without it, in WebAssembly',
      ])
  for (const name of await readdir(modules))
    if (!Object.hasOwn(nativeRuntime.integrity, name))
      await rm(join(modules, name), { recursive: true, force: true, maxRetries: 5 })
}

/** Deletes the folders of other platforms; `bin/napi-v6/linux/x64` is one for Linux. */
async function removeOtherPlatforms(folder: string): Promise<void> {
  for (const format of await foldersIn(join(folder, 'bin')))
    for (const platform of await foldersIn(format))
      for (const architecture of await foldersIn(platform))
        if (!architecture.endsWith(join(process.platform, process.arch)))
          await rm(architecture, { recursive: true, maxRetries: 5 })
}

async function foldersIn(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return []
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.filter(entry => entry.isDirectory()).map(({ name }) => join(folder, name))
}

/** Runs in a separate process, because an incompatible library can crash it. */
async function requireLoadable(folder: string): Promise<void> {
  const { ok, output } = await runCommand({
    words: [process.execPath, '--eval', `require(${JSON.stringify(folder)}).InferenceSession.create`],
  })
  if (!ok)
    throw unavailable(`${nativeRuntime.name} does not load on this machine: ${errorLine(output)}`, [
      'models still work without it, in WebAssembly',
    ])
}

/** Errors of Node and npm mention the cause in one of many lines. */
function errorLine(output: string): string {
  const lines = output.split('\n').map(line => line.trim())
  return lines.find(line => /\berror\b[: ]/iu.test(line)) ?? lines.at(-1) ?? ''
}

function unavailable(message: string, nextSteps: string[]): CliError {
  return new CliError(message, { code: 'runtime_unavailable', exit: 'failure', nextSteps })
}
