import test from 'ava'
import {
  AddressFault,
  credentialsFor,
  isNetworkAddress,
  readPlaceAddress,
} from '../../../../src/lib/network/place-address.js'

test('each form of an address names its kind of place', t => {
  t.deepEqual(readPlaceAddress('/home/me/Dropbox'), { kind: 'folder', path: '/home/me/Dropbox' })
  t.deepEqual(readPlaceAddress('C:\\Users\\me'), { kind: 'folder', path: 'C:\\Users\\me' })
  const gits: [string, string][] = [
    ['git+ssh://git@example.com/me/memory.git', 'ssh://git@example.com/me/memory.git'],
    ['git+https://example.com/me/memory.git', 'https://example.com/me/memory.git'],
    ['git+file:///srv/memory.git', 'file:///srv/memory.git'],
    ['git+git@example.com:me/memory.git', 'git@example.com:me/memory.git'],
  ]
  for (const [address, remote] of gits) t.deepEqual(readPlaceAddress(address), { kind: 'git', remote })
  t.deepEqual(readPlaceAddress('s3://my-bucket/a//b/?endpoint=https://minio.example.com:9000&region=eu-1'), {
    ...{ kind: 's3', bucket: 'my-bucket', prefix: 'a/b', region: 'eu-1' },
    endpoint: new URL('https://minio.example.com:9000'),
  })
  t.like(readPlaceAddress('s3://my-bucket'), { prefix: '', endpoint: undefined, region: undefined })
  t.deepEqual(readPlaceAddress('webdavs://cloud.example.com/dav/me'), {
    ...{ kind: 'webdav', url: new URL('https://cloud.example.com/dav/me/') },
  })
  t.like(readPlaceAddress('webdav://127.0.0.1:8080/'), { url: new URL('http://127.0.0.1:8080/') })
  const relay = { kind: 'relay' as const, url: new URL('https://memory.example.com:8443') }
  t.deepEqual(readPlaceAddress('memory-relay:https://memory.example.com:8443'), {
    ...relay,
    box: 'main',
  })
  t.deepEqual(readPlaceAddress('memory-relay:https://memory.example.com:8443/mine'), {
    ...{ ...relay, box: 'mine' },
  })
})

test('an address with a password is refused with the way to go, and never repeated', t => {
  for (const address of [
    'git+https://me:hunter2@example.com/memory.git',
    'git+https://hunter2@example.com/memory.git',
    'git+ssh://git:hunter2@example.com/memory.git',
    's3://KEY:hunter2@my-bucket/memory',
    's3://my-bucket/memory?secret=hunter2',
    's3://my-bucket?endpoint=https://me:hunter2@example.com',
    'webdavs://me:hunter2@example.com/',
    'memory-relay:https://x:hunter2@example.com',
    'memory-relay:https://example.com/?key=hunter2',
    'ftp://me:hunter2@example.com',
  ]) {
    const fault = t.throws(() => readPlaceAddress(address), { instanceOf: AddressFault }, address)
    t.notRegex(fault.message, /hunter2/u)
  }
  t.throws(() => readPlaceAddress('webdavs://me:hunter2@example.com/'), { message: /--credentials NAME/u })
})

test('an address that others could read in transit is refused, except on this machine', t => {
  for (const address of [
    'webdav://example.com/',
    'git+http://example.com/x.git',
    'memory-relay:http://example.com',
    's3://my-bucket?endpoint=http://example.com',
  ])
    t.throws(() => readPlaceAddress(address), { instanceOf: AddressFault, message: /without encryption/u })
  t.notThrows(() => readPlaceAddress('memory-relay:http://127.0.0.1:3850'))
  t.notThrows(() => readPlaceAddress('s3://my-bucket?endpoint=http://localhost:9000'))
})

test('anything else names the forms', t => {
  for (const address of [
    'memory',
    './memory',
    'https://example.com',
    'git+ext::sh -c x',
    'git+-oProxyCommand=x:y',
  ])
    t.throws(() => readPlaceAddress(address), { message: /git\+ssh.*s3:.*webdavs:.*memory-relay:/u }, address)
  t.throws(() => readPlaceAddress('git+ssh://-oProxyCommand=x/y'), { instanceOf: AddressFault })
  t.throws(() => readPlaceAddress('s3://UPPER/x'), { message: /bucket/u })
  t.throws(() => readPlaceAddress('memory-relay:https://example.com/a/b'), { message: /box/u })
})

test('paths differ from addresses, and each place names its credentials', t => {
  for (const path of ['/a', 'a/b', './git+x', 'C:\\a', '~/Dropbox']) t.false(isNetworkAddress(path), path)
  for (const address of ['git+a@b:c', 's3://b', 'memory-relay:https://h', 'ftp://x'])
    t.true(isNetworkAddress(address))
  t.is(credentialsFor('/a'), undefined)
  t.is(credentialsFor('git+ssh://h/x'), undefined)
  t.is(credentialsFor('webdavs://h/x'), 'USER:PASSWORD')
})
