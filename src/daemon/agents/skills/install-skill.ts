import { lstat, mkdir, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type InstallBody, type InstallReply, sourceFault } from '../../../contract/agents/skills.js'
import { AppError } from '../../../contract/ground/errors.js'
import { isInside } from '../../../lib/files/folders.js'
import { renamePatiently } from '../../../lib/files/patient-rename.js'
import { clip, quoted } from '../../../lib/text/clip.js'
import type { Ground } from '../../ground/ground.js'
import { unaskedGit } from '../../platform/processes/git-program.js'
import { type QuietEnd, runExclusively, runQuietly } from '../programs/runs.js'
import { moveFolder } from './move-folder.js'
import { requireSkill, valueIfMissing } from './skill-folder.js'
import { findSkillSources } from './skill-registry.js'

type Deps = Pick<Ground, 'store' | 'paths' | 'log' | 'newId' | 'environment'>

/**
 * One pinned version of the installer, whose behaviour is known, with checksums; update it deliberately. npm
 * asks the registry that the user configured, and refuses any other content.
 */
const installerPackages = {
  '': { dependencies: { skills: '1.5.18' } },
  'node_modules/skills': {
    version: '1.5.18',
    resolved: 'https://registry.npmjs.org/skills/-/skills-1.5.18.tgz',
    integrity:
      'sha512-WwQuqIhmS2nrn1H3HAbE2tGe7e2npc1cwMcucMKqmkBdqzm7nxzcZBTqXiHjUKhpalQLE/nNPtEdcx3QYX4TTw==',
    dependencies: { yaml: '^2.8.3' },
    bin: { skills: 'bin/cli.mjs' },
  },
  'node_modules/yaml': {
    version: '2.9.1',
    resolved: 'https://registry.npmjs.org/yaml/-/yaml-2.9.1.tgz',
    integrity:
      'sha512-3NxN8+78OdzbT7C/WjGsyfPAtJaN3FNDsWxv7Y7mcDsT/oOmgW8BpyQQFFBnvZE3j9Y2Sdz1ULFLezL7Eb2yFw==',
  },
}
type Command = readonly [program: string, ...args: string[]]

/** Fetches what the lock file names, without running its scripts. */
const fetchInstaller = ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'] as const
const timeoutMs = 60_000
/** Subfolder of the staging folder for the skill being replaced. */
const replacedFolder = 'replaced'

/** The installer must not prompt, and must not report what is installed. */
const installerVariables = {
  npm_config_fund: 'false',
  npm_config_audit: 'false',
  npm_config_update_notifier: 'false',
  DISABLE_TELEMETRY: '1',
  DO_NOT_TRACK: '1',
  ...unaskedGit,
  GIT_SSH_COMMAND: 'ssh -oBatchMode=yes -oConnectTimeout=10',
  GIT_ALLOW_PROTOCOL: 'https:ssh',
}

function temporaryFolder(folder: string): NodeJS.ProcessEnv {
  return process.platform === 'win32' ? { TEMP: folder, TMP: folder } : { TMPDIR: folder }
}

/** Lock that allows one change of a skill at a time. */
export function skillLock(name: string): { key: string; busy: string } {
  return {
    key: `skill ${name}`,
    busy: `skill ${quoted(name)} is being installed or removed; try again in a minute`,
  }
}

/**
 * Installs a skill (skills.md 4). The installer works in its own staging folder, and the result moves to
 * `skills/` in one step. A run that fails, hangs or is killed leaves nothing there.
 * @throws AppError `install_failed` with the installer's output; `conflict` when the skill exists and is not
 * to be replaced, or is being installed.
 */
export function installSkill(deps: Deps, body: InstallBody): Promise<InstallReply> {
  const { name, replace } = body
  return runExclusively(deps, skillLock(name), async signal => {
    if (!replace && (await isThere(deps, name))) throw installedAlready(name)
    const source = body.source ?? (await sourceFor(deps, name))
    const staging = join(deps.paths.skillStaging, deps.newId())
    // The installer clones into this folder, which is deleted with the staging folder.
    await mkdir(join(staging, 'tmp'), { recursive: true, mode: 0o700 })
    try {
      const output = await runInstaller(deps, { name, source, staging, signal })
      const made = await installedFolder(staging, name, output)
      await putInPlace(deps, { made, name, replace, staging })
      return { success: true, name, output, source, path: join(deps.paths.skills, name) }
    } finally {
      await discardFolder(deps, staging)
    }
  })
}

/**
 * Returns the only source known to the registry, otherwise the name itself for the installer to interpret.
 */
async function sourceFor(deps: Deps, name: string): Promise<string> {
  const known = [...new Set(await findSkillSources(deps, name))].filter(source => !sourceFault(source))
  if (known.length > 1)
    throw failed(
      `several sources have a skill ${quoted(name)}; choose one with source: ${known.slice(0, 5).join(', ')}`,
    )
  return known[0] ?? name
}

async function runInstaller(
  deps: Deps,
  { name, source, staging, signal }: { name: string; source: string; staging: string; signal: AbortSignal },
): Promise<string> {
  const lock = { lockfileVersion: 3, requires: true, packages: installerPackages }
  await writeFile(join(staging, 'package.json'), JSON.stringify(installerPackages['']))
  await writeFile(join(staging, 'package-lock.json'), JSON.stringify(lock))
  const env = { ...installerVariables, ...temporaryFolder(join(staging, 'tmp')) }
  const run = (command: Command) => runQuietly(deps, { command, cwd: staging, env, timeoutMs, signal })
  const fetched = await run(fetchInstaller)
  if (!isDone(fetched)) throw failed(describeFailure(fetched, 'its own package'), fetched.output)
  const add = ['add', source, '--skill', name, '-a', 'openclaw', '--copy', '-y']
  const end = await run(['npx', '--no', '--', 'skills', ...add])
  if (isDone(end)) return end.output
  throw failed(describeFailure(end, quoted(source)), end.output)
}

function isDone({ status, code }: QuietEnd): boolean {
  return status === 'exited' && code === 0
}

function describeFailure({ status, code, output, error = '', isMissing }: QuietEnd, what: string): string {
  if (status === 'timed_out') return `the installer did not finish ${what} within ${timeoutMs / 1000} s`
  if (status === 'cancelled') return 'the daemon stopped during the installation'
  if (status === 'not_started')
    return isMissing
      ? 'npm and npx are not on the PATH of the daemon: install Node.js with npm, then memory daemon restart'
      : `the installer could not be started: ${clip(error, 300)}`
  return `the installer failed with ${what} (code ${code})${installerMessage(output)}`
}

/** Returns the line the installer marks as its error, or its last line, and git's message. */
function installerMessage(output: string): string {
  const lines = output
    .split('\n')
    .filter(line => line.trim() !== '' && !/^\s*(?:\u25a0\s*)?Canceled/u.test(line))
    .map(line => line.trim())
  const marked = lines.find(line => line.startsWith('\u25a0')) ?? lines.at(-1) ?? ''
  const ofGit = lines.find(line => line.startsWith('fatal:'))
  const said = [marked.replace(/^[^\p{L}\p{N}"'(@/]+/u, ''), ofGit].filter(Boolean)
  return said.length > 0 ? `: ${clip([...new Set(said)].join('; '), 300)}` : ''
}

/**
 * @throws AppError `install_failed` unless the installer made a skill of this name without links out of its
 * folder.
 */
async function installedFolder(staging: string, name: string, output: string): Promise<string> {
  const paths = { skills: join(staging, 'skills') }
  const names = await readdir(paths.skills).catch(valueIfMissing<string[]>([]))
  // The installer writes names in lower case.
  const found = names.find(one => one === name) ?? names.find(one => one === name.toLowerCase())
  if (found === undefined)
    throw failed(`the installer ended without a skill ${quoted(name)}${installerMessage(output)}`, output)
  const made = await requireSkill({ paths }, found).catch((error: unknown) => {
    throw error instanceof AppError
      ? failed(`the installed files are not a skill: ${error.message}`, output)
      : error
  })
  if (await leadsOut(made.folder))
    throw failed(
      `skill ${quoted(name)} contains a link that leads out of its folder; nothing was installed`,
      output,
    )
  return made.folder
}

async function leadsOut(folder: string): Promise<boolean> {
  const root = await realpath(folder)
  const entries = await readdir(root, { withFileTypes: true, recursive: true })
  for (const entry of entries) {
    if (!entry.isSymbolicLink()) continue
    const real = await realpath(join(entry.parentPath, entry.name)).catch(valueIfMissing(undefined))
    if (real === undefined || !isInside(root, real)) return true
  }
  return false
}

/** Moves the old folder back when the new one can't take its place. */
async function putInPlace(
  deps: Deps,
  { made, name, replace, staging }: { made: string; name: string; replace: boolean; staging: string },
): Promise<void> {
  const target = join(deps.paths.skills, name)
  const aside = join(staging, replacedFolder, name)
  const isReplaced = await isThere(deps, name)
  if (isReplaced && !replace) throw installedAlready(name)
  if (isReplaced) await moveFolder(target, aside)
  try {
    await moveFolder(made, target)
  } catch (error) {
    if (isReplaced) await moveFolder(aside, target)
    throw error
  }
  // Renaming marks the old skill as removed, so a restart does not restore files that could not be deleted.
  if (isReplaced) await renamePatiently(dirname(aside), join(staging, 'removed'))
}

/**
 * Cleans up what a kill left of installations and removals; none may be running. A skill set aside moves back
 * unless the new one took its place.
 */
export async function tidyStaging(deps: Pick<Ground, 'paths' | 'log'>): Promise<void> {
  const { skillStaging, skills } = deps.paths
  for (const id of await readdir(skillStaging).catch(valueIfMissing<string[]>([]))) {
    const aside = join(skillStaging, id, replacedFolder)
    for (const name of await readdir(aside).catch(valueIfMissing<string[]>([])))
      if (!(await isThere(deps, name))) await moveFolder(join(aside, name), join(skills, name))
  }
  await discardFolder(deps, skillStaging)
}

/** Deletes leftover files. Those that can't be deleted stay until the next start. */
export async function discardFolder({ log }: Pick<Ground, 'log'>, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(error =>
    log.warn(
      { err: error },
      'files of replaced or removed skills could not be deleted; the next start tries again',
    ),
  )
}

async function isThere({ paths }: Pick<Deps, 'paths'>, name: string): Promise<boolean> {
  return (await lstat(join(paths.skills, name)).catch(valueIfMissing(undefined))) !== undefined
}

function installedAlready(name: string): AppError {
  return new AppError(
    'conflict',
    `skills/${name} already exists; remove it first (memory skills remove ${name}), or install with replace`,
  )
}

function failed(message: string, output = ''): AppError {
  return new AppError('install_failed', message, undefined, { fields: { success: false, output } })
}
