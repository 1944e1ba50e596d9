import { randomBytes } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import type { Transport } from '../../src/daemon/operations/sync/transports/transport.js'

/** A place as two machines have it open. */
export interface OpenPlace {
  one: Transport
  two: Transport
  /** Begins a put by `one` whose transfer is cut in the middle. */
  cutPut(name: string, bytes: Uint8Array): Promise<unknown>
}

const store = '0123456789abcdef0123456789abcdef'
/** More than one page of any server. */
const manyFiles = 1200

/** Tests that every kind of place must pass, since an exchange relies on them. */
export function testTransport(
  kind: string,
  open: (t: ExecutionContext) => Promise<OpenPlace>,
  { files = manyFiles }: { files?: number } = {},
): void {
  test(`${kind}: an empty place lists nothing, and files may be missing`, async t => {
    const { one } = await open(t)
    t.deepEqual(await one.list(), [])
    t.is(await one.get(`${store}/rings/000001-aa.ring`), undefined)
    await t.notThrowsAsync(one.remove(`${store}/rings/000001-aa.ring`))
  })

  test(`${kind}: what one machine puts, the other lists and gets byte by byte`, async t => {
    const { one, two } = await open(t)
    const large = randomBytes(3 * 1024 * 1024)
    await one.put(`${store}/dev1/0000000001-aa.seg`, large)
    await one.put(`${store}/rings/000001-aa.ring`, Buffer.from('{}'))
    const listed = sorted(await two.list())
    t.deepEqual(listed, [
      { name: `${store}/dev1/0000000001-aa.seg`, bytes: large.length },
      { name: `${store}/rings/000001-aa.ring`, bytes: 2 },
    ])
    t.true((await two.get(listed[0]!.name))?.equals(large))
    t.is(String(await two.get(listed[1]!.name)), '{}')
  })

  test(`${kind}: a file never changes, whoever puts it again`, async t => {
    const { one, two } = await open(t)
    const name = `${store}/joining/dev1.req`
    await one.put(name, Buffer.from('first'))
    await one.put(name, Buffer.from('again'))
    await two.put(name, Buffer.from('other machine'))
    t.is(String(await one.get(name)), 'first')
    t.is(String(await two.get(name)), 'first')
  })

  test(`${kind}: of two machines that put one name at once, one wins as a whole`, async t => {
    const { one, two } = await open(t)
    const name = `${store}/dev1/0000000001-aa.seg`
    const [a, b] = [randomBytes(200_000), randomBytes(100_000)]
    await Promise.all([one.put(name, a), two.put(name, b)])
    const kept = (await one.get(name))!
    t.true(kept.equals(a) || kept.equals(b))
    t.true((await two.get(name))!.equals(kept))
  })

  test(`${kind}: files of both at once all arrive, and a list has every one`, async t => {
    const { one, two } = await open(t)
    const nameOf = (device: string, at: number) => `${store}/${device}/${String(at).padStart(10, '0')}-aa.seg`
    const put = async (transport: Transport, device: string) => {
      const all = Array.from({ length: files / 2 }, (_, at) => nameOf(device, at + 1))
      for (let at = 0; at < all.length; at += 8)
        await Promise.all(all.slice(at, at + 8).map(name => transport.put(name, Buffer.from(name))))
      return all
    }
    const names = (await Promise.all([put(one, 'dev1'), put(two, 'dev2')])).flat().sort()
    for (const transport of [one, two])
      t.deepEqual((await transport.list()).map(({ name }) => name).sort(), names)
    t.is(String(await one.get(nameOf('dev2', files / 2))), nameOf('dev2', files / 2))
  })

  test(`${kind}: a removed file is gone for both, and others stay`, async t => {
    const { one, two } = await open(t)
    const [gone, kept] = [`${store}/dev1/0000000001-aa.seg`, `${store}/dev1/0000000002-bb.seg`]
    for (const name of [gone, kept]) await one.put(name, Buffer.from(name))
    await two.list()
    await two.remove(gone)
    for (const transport of [one, two]) {
      t.deepEqual(
        (await transport.list()).map(({ name }) => name),
        [kept],
      )
      t.is(await transport.get(gone), undefined)
    }
  })

  test(`${kind}: half a transfer never shows, and the next attempt puts the whole one`, async t => {
    const { one, two, cutPut } = await open(t)
    const name = `${store}/dev1/0000000001-aa.seg`
    const bytes = randomBytes(2 * 1024 * 1024)
    await cutPut(name, bytes)
    for (const { name: listed, bytes: length } of await two.list())
      if (listed === name) t.is(length, bytes.length)
    await one.put(name, bytes)
    t.deepEqual(await two.list(), [{ name, bytes: bytes.length }])
    t.true((await two.get(name))!.equals(bytes))
  })
}

function sorted<T extends { name: string }>(files: T[]): T[] {
  return files.sort((a, b) => (a.name < b.name ? -1 : 1))
}
