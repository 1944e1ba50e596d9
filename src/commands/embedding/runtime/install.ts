import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from '../../../cli/operations/daemon/supervisor/run-command.js'
import { CliCommand } from '../../../cli/shell/cli-command.js'
import { CliError } from '../../../cli/shell/cli-error.js'
import { print, printNote } from '../../../cli/terminal/output.js'
import { startSpinner } from '../../../cli/terminal/spinner.js'
import { nativeRuntime, nativeRuntimeFolder } from '../../../lib/workspace/model-folder.js'
import { workspacePaths } from '../../../lib/workspace/paths.js'

/** The package contains 290 MB for five platforms, which takes long on a slow connection. */
const installTimeoutMs = 30 * 60_000

export default class EmbeddingRuntimeInstall extends CliCommand {
  static override summary =
    'Fetch the native runtime of models, which is faster than the one that comes along.'
  static override description =
    'A sentence model runs in WebAssembly, everywhere and without anything more. The native runtime (ONNX Runtime, from ' +
    'npm) computes the same several times faster; 290 MB are fetched and what this machine needs of them is kept. The ' +
    'daemon takes it when it next loads the model.'
  static override examples = ['<%= config.bin %> embedding runtime install']

  async run(): Promise<{ folder: string; version: string }> {
    await this.parse(EmbeddingRuntimeInstall)
    const spinner = startSpinner(`npm fetches ${nativeRuntime.name} ${nativeRuntime.version}`)
    try {
      const folder = await installRuntime(workspacePaths(this.globals.workspace).runtime)
      spinner.stop()
      if (!this.jsonEnabled()) {
        print(`${nativeRuntime.name} ${nativeRuntime.version} is in ${folder}`)
        printNote('next: memory embedding status tells the runtime once the model was loaded')
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
  await rm(staging, { recursive: true, force: true })
  await mkdir(staging, { recursive: true, mode: 0o700 })
  try {
    await fetchByNpm(staging)
    await removeOtherPlatforms(nativeRuntimeFolder(staging))
    await requireLoadable(nativeRuntimeFolder(staging))
    await rm(runtimeDir, { recursive: true, force: true })
    await rename(staging, runtimeDir)
    return nativeRuntimeFolder(runtimeDir)
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

async function fetchByNpm(folder: string): Promise<void> {
  // The package's install script would download libraries for graphics cards.
  const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund']
  const wanted = `${nativeRuntime.name}@${nativeRuntime.version}`
  const { ok, said } = await runCommand({
    words: ['npm', 'install', '--prefix', folder, ...flags, wanted],
    timeoutMs: installTimeoutMs,
  })
  if (ok) return
  const why = said ? `npm could not fetch ${wanted}: ${errorLine(said)}` : 'npm is not on the PATH'
  throw unavailable(why, ['npm --version', 'the models work without it, in WebAssembly'])
}

/** Deletes the folders of other platforms; `bin/napi-v6/linux/x64` is one for Linux. */
async function removeOtherPlatforms(folder: string): Promise<void> {
  for (const format of await foldersIn(join(folder, 'bin')))
    for (const platform of await foldersIn(format))
      for (const architecture of await foldersIn(platform))
        if (!architecture.endsWith(join(process.platform, process.arch)))
          await rm(architecture, { recursive: true })
}

async function foldersIn(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return []
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.filter(entry => entry.isDirectory()).map(({ name }) => join(folder, name))
}

/** Runs in a separate process, because an incompatible library can crash it. */
async function requireLoadable(folder: string): Promise<void> {
  const { ok, said } = await runCommand({
    words: [process.execPath, '--eval', `require(${JSON.stringify(folder)}).InferenceSession.create`],
  })
  if (!ok)
    throw unavailable(`${nativeRuntime.name} does not load on this machine: ${errorLine(said)}`, [
      'the models work without it, in WebAssembly',
    ])
}

/** Errors of Node and npm mention the cause in one of many lines. */
function errorLine(said: string): string {
  const lines = said.split('\n').map(line => line.trim())
  return lines.find(line => /\berror\b[: ]/iu.test(line)) ?? lines.at(-1) ?? ''
}

function unavailable(message: string, nextSteps: string[]): CliError {
  return new CliError(message, { code: 'runtime_unavailable', exit: 'failure', nextSteps })
}
