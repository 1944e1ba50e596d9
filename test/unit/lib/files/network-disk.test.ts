import test from 'ava'
import { type DiskSystem, networkDiskOf } from '../../../../src/lib/files/network-disk.js'

function diskOn(platform: NodeJS.Platform, folder: string, answers: Partial<DiskSystem>) {
  const refuse = async () => {
    throw new Error('not asked')
  }
  return networkDiskOf(folder, {
    platform,
    typeOf: refuse,
    mounts: refuse,
    real: async path => path,
    ...answers,
  })
}

const linuxDisks: readonly [type: number, disk: string | undefined][] = [
  [0x01021997, '9p'],
  [0x6969, 'NFS'],
  [0xff534d42, 'SMB'],
  [-11_317_950, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0x65735546, 'FUSE'],
  [0xef53, undefined],
]

for (const [type, disk] of linuxDisks)
  test(`on Linux the type ${type} is ${disk ?? 'a disk of this machine'}`, async t => {
    t.is(await diskOn('linux', '/mnt/c/memory', { typeOf: async () => type }), disk as never)
  })

test('a folder that does not exist yet is on the disk of the nearest one above', async t => {
  const asked: string[] = []
  const real = async (path: string) => {
    if (path !== '/mnt/c') throw new Error('ENOENT')
    return path
  }
  const typeOf = async (path: string) => {
    asked.push(path)
    return 0x01021997
  }
  t.is(await diskOn('linux', '/mnt/c/a/b', { real, typeOf }), '9p')
  t.deepEqual(asked, ['/mnt/c'])
})

const mounts = `/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse)
//ada@nas._smb._tcp.local/home on /Volumes/home (smbfs, nodev, nosuid, mounted by ada)
server:/export on /Volumes/home/nfs (nfs)
`

test('on macOS the deepest mounted folder decides', async t => {
  const on = (folder: string) => diskOn('darwin', folder, { mounts: async () => mounts })
  t.is(await on('/Users/ada/.memory-service'), undefined)
  t.is(await on('/Volumes/home/memory'), 'SMB')
  t.is(await on('/Volumes/homework'), undefined)
  t.is(await on('/Volumes/home/nfs/memory'), 'NFS')
})

test('on Windows shares, drives mapped to them and the files of WSL are network disks', async t => {
  const on = (real: string) => diskOn('win32', 'Z:\\memory', { real: async () => real })
  t.is(await on('\\\\nas\\home\\memory'), 'SMB')
  t.is(await on('\\\\?\\UNC\\nas\\home\\memory'), 'SMB')
  t.is(await on('\\\\wsl.localhost\\Ubuntu\\home\\ada'), '9p')
  t.is(await on('\\\\wsl$\\Ubuntu\\home\\ada'), '9p')
  t.is(await on('C:\\Users\\ada'), undefined)
  t.is(await on('\\\\?\\C:\\Users\\ada'), undefined)
})

test('a system that does not answer leads to no refusal', async t => {
  t.is(await diskOn('linux', '/a', {}), undefined)
})
