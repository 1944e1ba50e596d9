import { statfsSync } from 'node:fs'
import { realpath, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * A disk that another system may have open too. SQLite's locks and shared memory do not reach from one system
 * to the other there, so two of them damage a database.
 */
export type NetworkDisk = '9p' | 'SMB' | 'NFS' | 'AFP' | 'FUSE'

/** Types of file systems on Linux (statfs(2)). Drives of Windows are 9p in WSL 2, or FUSE by virtiofs. */
const linuxTypes: ReadonlyMap<number, NetworkDisk> = new Map([
  [0x01021997, '9p'],
  [0xff534d42, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0x517b, 'SMB'],
  [0x6969, 'NFS'],
  [0x65735546, 'FUSE'],
])
/** FAT and exFAT number files as they are read, and so do many programs behind FUSE and 9p. */
const renumbering = new Set([0x4d44, 0x2011bab0, 0x01021997, 0x65735546])

const macTypes: ReadonlyMap<string, NetworkDisk> = new Map([
  ['smbfs', 'SMB'],
  ['nfs', 'NFS'],
  ['afpfs', 'AFP'],
  ['macfuse', 'FUSE'],
  ['osxfuse', 'FUSE'],
  ['fusefs', 'FUSE'],
])

/** How a system tells the kind of its disks; tests pass fakes. */
export interface DiskSystem {
  platform: NodeJS.Platform
  /** Type of the file system of a folder, as statfs(2) numbers it. */
  typeOf: (folder: string) => Promise<number>
  /** Output of `mount`. */
  mounts: () => Promise<string>
  /** Path without links and mapped drives. */
  real: (folder: string) => Promise<string>
}

const thisSystem: DiskSystem = {
  platform: process.platform,
  typeOf: async folder => (await statfs(folder)).type,
  mounts: async () => {
    const [{ execFile }, { promisify }] = await Promise.all([
      import('node:child_process'),
      import('node:util'),
    ])
    return (await promisify(execFile)('mount', { timeout: 2_000, windowsHide: true })).stdout
  },
  real: folder => realpath(folder),
}

/**
 * Returns the kind of the network disk that a folder is on, or will be on once it exists.
 * @returns undefined for a disk of this machine, and if the system does not tell.
 */
export async function networkDiskOf(
  folder: string,
  system: DiskSystem = thisSystem,
): Promise<NetworkDisk | undefined> {
  const { platform, typeOf, mounts } = system
  try {
    const real = await nearest(folder, system)
    if (platform === 'linux') return linuxTypes.get((await typeOf(real)) >>> 0)
    if (platform === 'darwin') return mountedAt(real, await mounts())
    return platform === 'win32' ? sharedAt(real) : undefined
  } catch {
    return undefined
  }
}

/** Returns true if the disk of a file may number it differently after a while (Linux only). */
export function mayRenumber(file: string): boolean {
  if (process.platform !== 'linux') return false
  try {
    return renumbering.has(statfsSync(file).type >>> 0)
  } catch {
    return false
  }
}

/** The folder, or the nearest one above it that exists, without links. */
async function nearest(folder: string, system: DiskSystem): Promise<string> {
  try {
    return await system.real(folder)
  } catch (error) {
    const above = dirname(folder)
    if (above === folder) throw error
    return nearest(above, system)
  }
}

/** Lines are `//ada@server/share on /Volumes/share (smbfs, nodev)`; the deepest folder counts. */
function mountedAt(folder: string, mounts: string): NetworkDisk | undefined {
  const found = [...mounts.matchAll(/^.+? on (\/.*) \(([a-z0-9]+)[,)]/gmu)]
    .map(([, at = '', type = '']) => ({ at, type }))
    .filter(({ at }) => at === '/' || folder === at || folder.startsWith(`${at}/`))
    .sort((a, b) => b.at.length - a.at.length)
  return macTypes.get(found[0]?.type ?? '')
}

/** `\\server\share`, which mapped drives resolve to, or the files of WSL. */
function sharedAt(folder: string): NetworkDisk | undefined {
  if (!/^[\\/]{2}(?![?.][\\/])/u.test(folder) && !/^\\\\\?\\UNC\\/iu.test(folder)) return undefined
  return /^[\\/]{2}wsl(?:\.localhost|\$)[\\/]/iu.test(folder) ? '9p' : 'SMB'
}
