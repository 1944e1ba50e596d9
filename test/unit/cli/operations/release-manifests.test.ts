import test from 'ava'
import { parse } from 'yaml'
import { manifestsOf } from '../../../../scripts/release-manifests.js'

const sha256 = 'a1'.repeat(32)
const release = {
  name: 'memory-service',
  version: '1.2.3',
  description: 'One memory: for all',
  license: 'Apache-2.0',
}
const manifests = manifestsOf(release, sha256)

test('each manifest names the version and the same package with its checksum', t => {
  t.deepEqual(Object.keys(manifests), ['memory-service.rb', 'flake.nix', 'memory-service.json'])
  const url = 'https://registry.npmjs.org/memory-service/-/memory-service-1.2.3.tgz'
  t.true(manifests['memory-service.rb']?.includes(`url "${url}"\n  sha256 "${sha256}"`))
  t.true(manifests['flake.nix']?.includes('version = "1.2.3";'))
  t.like(JSON.parse(manifests['memory-service.json'] ?? ''), {
    version: '1.2.3',
    url: `${url}#/package.tgz_`,
    hash: sha256,
  })
})

test('a description is one line without a colon and a full stop, as Homebrew wants it', t => {
  t.true(manifests['memory-service.rb']?.includes('desc "One memory"\n'))
})

test('winget takes the setup for Windows by three files of one package and version', t => {
  const setup = { url: 'https://example.org/memory-service-1.2.3-setup.exe', sha256: 'b2'.repeat(32) }
  const names = Object.keys(manifestsOf(release, sha256, setup)).filter(name => name.endsWith('.yaml'))
  const files = names.map(name => parse(manifestsOf(release, sha256, setup)[name] ?? ''))
  t.deepEqual(
    files.map(file => file.ManifestType),
    ['version', 'defaultLocale', 'installer'],
  )
  for (const file of files)
    t.like(file, { PackageIdentifier: 'MemoryService.MemoryService', PackageVersion: '1.2.3' })
  t.deepEqual(
    files[2].Installers,
    ['x64', 'arm64'].map(Architecture => ({
      Architecture,
      InstallerUrl: setup.url,
      InstallerSha256: setup.sha256.toUpperCase(),
    })),
  )
})
