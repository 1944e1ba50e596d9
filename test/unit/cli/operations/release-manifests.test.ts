import test from 'ava'
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
