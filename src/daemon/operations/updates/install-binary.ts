import { chmod, copyFile, link, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isInTheClear } from '../../../lib/network/is-loopback.js'
import { urlWithoutQuery } from '../../ground/fetch/exchange.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { downloadAsset } from './download-asset.js'
import type { Release } from './find-release.js'
import { readInstalledVersion } from './observed-version.js'
import { UpdateFault } from './update-fault.js'

type Deps = Pick<Daemon, 'paths' | 'log' | 'environment'>

/** Suffix of the previous executable, kept next to the new one. */
const keptSuffix = '.previous'
const partSuffix = '.download'

export interface BinaryInstall {
  release: Release
  /** The running executable, with links resolved. */
  executable: string
  signal: AbortSignal
}

/**
 * Replaces the running executable with that of a release. It is downloaded next to it, verified, started once
 * with `--version` and only then renamed, so there is a complete executable at every moment. If the new one
 * doesn't start in its final place, the previous one is restored.
 * @throws UpdateFault with the reason; the previous executable is then in place
 */
export async function installBinary(deps: Deps, install: BinaryInstall): Promise<void> {
  const { release, executable, signal } = install
  const asset = release.assets.find(one => one.platform === process.platform && one.arch === process.arch)
  if (!asset)
    throw new UpdateFault(
      'asset_missing',
      `${release.version} has no file for ${process.platform} ${process.arch}`,
    )
  const part = `${executable}.${release.version}${partSuffix}`
  await sweepParts(executable)
  try {
    await downloadAsset({ asset, url: addressOf(asset.url, release), file: part, signal })
    await chmod(part, 0o755)
    await requireVersion(deps, { executable: part, version: release.version, signal })
    await swap(executable, part)
  } catch (error) {
    await rm(part, { force: true })
    throw error instanceof UpdateFault ? error : writeFault(error, signal)
  }
  await requireVersion(deps, { executable, version: release.version, signal }).catch(async error => {
    await rename(`${executable}${keptSuffix}`, executable)
    throw error
  })
}

/** Removes partial downloads of a killed installation. */
export async function sweepParts(executable: string): Promise<void> {
  const folder = dirname(executable)
  const names = await readdir(folder).catch(() => [])
  for (const name of names)
    if (name.startsWith(`${basename(executable)}.`) && name.endsWith(partSuffix))
      await rm(join(folder, name), { force: true })
}

async function swap(executable: string, part: string): Promise<void> {
  const kept = `${executable}${keptSuffix}`
  await rm(kept, { force: true })
  if (process.platform === 'win32') {
    // Windows allows renaming a running executable, but not replacing it.
    await rename(executable, kept)
  } else {
    await link(executable, kept).catch(() => copyFile(executable, kept))
  }
  await rename(part, executable)
}

async function requireVersion(
  deps: Deps,
  { executable, version, signal }: { executable: string; version: string; signal: AbortSignal },
): Promise<void> {
  const observed = await readInstalledVersion(deps, { executable, signal })
  signal.throwIfAborted()
  if (observed.version === version) return
  const why = observed.version === null ? observed.problem : `it reports version ${observed.version}`
  throw new UpdateFault('verification_failed', `the executable of ${version} was rejected: ${why}`)
}

/** @throws UpdateFault `manifest_invalid` for an invalid address, or one without https */
function addressOf(text: string, { base }: Release): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : undefined
  if (!url || !/^https?:$/u.test(url.protocol))
    throw new UpdateFault(
      'manifest_invalid',
      `${JSON.stringify(text.slice(0, 100))} is not a valid file address`,
    )
  if (isInTheClear(url) || (base && isInTheClear(base)))
    throw new UpdateFault(
      'manifest_invalid',
      `${urlWithoutQuery(url)}: releases and their manifest must use https`,
    )
  return url
}

function writeFault(error: unknown, signal: AbortSignal): UpdateFault {
  if (signal.aborted) return new UpdateFault('install_failed', 'the daemon stopped during the installation')
  const { code, message } = error as NodeJS.ErrnoException
  return new UpdateFault('install_failed', `the executable could not be replaced: ${code ?? message}`, {
    cause: error,
  })
}
