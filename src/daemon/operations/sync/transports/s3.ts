import { createHash } from 'node:crypto'
import { AwsV4Signer } from 'aws4fetch'
import { decoded } from '../../../../lib/network/decoded.js'
import type { PlaceAddress } from '../../../../lib/network/place-address.js'
import type { ExchangeReply } from '../../../ground/fetch/exchange.js'
import { connections, type HttpCall, httpPlace } from './http.js'
import {
  isWhole,
  type StoredFile,
  type Transport,
  TransportFault,
  type TransportOptions,
} from './transport.js'
import { elementsOf, readXml, textOf, type XmlElement } from './xml.js'

/** The folder in the bucket, so that other files beside it are left alone. */
const own = 'memory-sync/'
/** A page has 1,000 files at most. */
const mostListBytes = 4 * 1024 * 1024

type S3Place = Extract<PlaceAddress, { kind: 's3' }>

interface Keys {
  accessKeyId: string
  secretAccessKey: string
}

interface Bucket {
  place: string
  /** The URL of the bucket, with `/` at its end. */
  root: URL
  /** Sends a signed request. */
  send(call: S3Call): Promise<ExchangeReply>
}

interface S3Call extends Omit<HttpCall, 'body'> {
  body?: Uint8Array
}

/** A bucket of S3, or of a service that speaks as S3 does. */
export function s3Transport(at: S3Place, options: TransportOptions): Transport {
  const { place } = options
  const { root, region } = bucketUrl(at)
  let keys: Keys | undefined
  const http = httpPlace({ ...options, explain: reply => faultOf({ ...at, region, place }, options, reply) })
  const bucket: Bucket = {
    ...{ place, root },
    send: async call => {
      keys ??= keysOf(await options.credentials(), options)
      try {
        return await http.send(await signed(call, keys, region))
      } catch (error) {
        // Others may be stored meanwhile.
        if (error instanceof TransportFault && error.kind === 'refused') keys = undefined
        throw error
      }
    },
  }
  const folder = at.prefix === '' ? own : `${at.prefix}/${own}`
  const urlOf = (name: string): URL => new URL(root.href + encoded(folder + name))
  const get = (name: string): Promise<Buffer | undefined> => getFile(bucket, urlOf(name))
  return {
    place,
    atOnce: connections,
    list: () => listAll(bucket, folder),
    get,
    put: putOnce(bucket, get, urlOf),
    remove: async name => {
      await bucket.send({ url: urlOf(name), method: 'DELETE', expected: [404] })
    },
    close: http.close,
  }
}

function keysOf(credentials: string | undefined, { place, advice }: TransportOptions): Keys {
  const [, accessKeyId, secretAccessKey] =
    /^([\x21-\x39\x3b-\x7e]+):([\x21-\x7e]+)$/u.exec(credentials?.trim() ?? '') ?? []
  if (accessKeyId !== undefined && secretAccessKey !== undefined) return { accessKeyId, secretAccessKey }
  throw new TransportFault(
    `${place} has no credentials of the form ACCESS_KEY_ID:SECRET_ACCESS_KEY; ${advice}`,
    {
      kind: 'refused',
    },
  )
}

function bucketUrl({ bucket, endpoint, region }: S3Place): { root: URL; region: string } {
  if (!endpoint) {
    const where = region ?? 'us-east-1'
    const host = `s3.${where}.amazonaws.com`
    // The certificate of S3 has one level of names.
    const root = bucket.includes('.') ? `https://${host}/${bucket}/` : `https://${bucket}.${host}/`
    return { root: new URL(root), region: where }
  }
  const isR2 = endpoint.hostname.endsWith('.r2.cloudflarestorage.com')
  const base = endpoint.href.endsWith('/') ? endpoint.href : `${endpoint.href}/`
  // An endpoint that is called as the bucket is that of the bucket.
  const root = endpoint.hostname.startsWith(`${bucket}.`) ? base : `${base}${bucket}/`
  return { root: new URL(root), region: region ?? (isR2 ? 'auto' : 'us-east-1') }
}

function encoded(path: string): string {
  const strict = (part: string): string =>
    encodeURIComponent(part).replace(/[!'()*]/gu, one => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
  return path.split('/').map(strict).join('/')
}

async function signed(call: S3Call, keys: Keys, region: string): Promise<HttpCall> {
  const { url, method = 'GET', body, headers } = call
  const hash = createHash('sha256')
    .update(body ?? '')
    .digest('hex')
  const signer = new AwsV4Signer({
    ...{ ...keys, region, service: 's3', method, url: url.href },
    headers: { ...headers, 'x-amz-content-sha256': hash },
  })
  const { url: signedUrl, headers: all } = await signer.sign()
  const sent = { ...Object.fromEntries(all), 'accept-encoding': 'identity' }
  return { ...call, method, url: signedUrl, headers: sent }
}

async function listAll(bucket: Bucket, folder: string): Promise<StoredFile[]> {
  const files: StoredFile[] = []
  const seen = new Set<string>()
  for (let token: string | undefined; ; ) {
    const list = await listPage(bucket, folder, token)
    const isEncoded = textOf(list, 'EncodingType') === 'url'
    for (const file of elementsOf(list, 'Contents')) {
      const key = textOf(file, 'Key') ?? ''
      const spaced = key.replaceAll('+', ' ')
      const name = isEncoded ? (decoded(spaced) ?? spaced) : key
      // Consoles make empty files for folders.
      if (name.startsWith(folder) && !name.endsWith('/'))
        files.push({ name: name.slice(folder.length), bytes: Number(textOf(file, 'Size')) || 0 })
    }
    if (textOf(list, 'IsTruncated') !== 'true') return files
    token = textOf(list, 'NextContinuationToken')
    if (!token || seen.has(token))
      throw new TransportFault(`${bucket.place} does not give the next page of its list`, { kind: 'damaged' })
    seen.add(token)
  }
}

async function listPage(bucket: Bucket, folder: string, token: string | undefined): Promise<XmlElement> {
  const url = new URL(bucket.root)
  url.search = new URLSearchParams({
    'list-type': '2',
    'encoding-type': 'url',
    prefix: folder,
    ...(token !== undefined && { 'continuation-token': token }),
  })
    .toString()
    .replaceAll('+', '%20')
  const reply = await bucket.send({ url, maxBytes: mostListBytes })
  const list = await readXml(reply.bytes)
  if (list?.name === 'ListBucketResult') return list
  throw new TransportFault(`${bucket.place} answered with something else than a list; is it a place of S3?`, {
    kind: 'damaged',
  })
}

async function getFile(bucket: Bucket, url: URL): Promise<Buffer | undefined> {
  try {
    return (await bucket.send({ url })).bytes
  } catch (error) {
    if (error instanceof FileAbsent) return undefined
    throw error
  }
}

/** Puts a file unless it is there as a whole. */
function putOnce(bucket: Bucket, get: Transport['get'], urlOf: (name: string) => URL): Transport['put'] {
  // Services that do not know the condition refuse it.
  let knowsCondition = true
  const send = async (name: string, body: Uint8Array, headers = {}): Promise<ExchangeReply> => {
    const reply = await bucket.send({
      ...{ url: urlOf(name), method: 'PUT', body, expected: [412, 501] },
      headers: { 'content-type': 'application/octet-stream', ...headers },
    })
    // Only a store tells the tag of its file.
    if (reply.status < 300 && !reply.headers.etag)
      throw new TransportFault(`${bucket.place} answered ${reply.status} without having stored a file`, {
        kind: 'damaged',
      })
    return reply
  }
  return async (name, bytes) => {
    if (knowsCondition) {
      const { status } = await send(name, bytes, { 'if-none-match': '*' })
      if (status < 300) return
      if (status === 501) knowsCondition = false
    }
    if (isWhole(await get(name), bytes)) return
    const { status } = await send(name, bytes)
    if (status >= 300)
      throw new TransportFault(`${bucket.place} answered ${status}: it takes no files`, { kind: 'damaged' })
  }
}

class FileAbsent extends TransportFault {}

/** Names what S3 says, and the next step for a person. */
async function faultOf(
  { bucket, region, place }: { bucket: string; region: string; place: string },
  { advice }: TransportOptions,
  reply: ExchangeReply,
): Promise<TransportFault | string | undefined> {
  const document = await readXml(reply.bytes)
  const error = document?.name === 'Error' ? document : undefined
  const code = (error && textOf(error, 'Code')) ?? ''
  if (code === 'NoSuchKey') return new FileAbsent(`${place} does not have this file`)
  const other = reply.headers['x-amz-bucket-region'] ?? (error && textOf(error, 'Region'))
  if (typeof other === 'string' && other !== region)
    return new TransportFault(
      `the bucket ${bucket} is in the region ${other}: name it with region=${other}`,
      {
        kind: 'refused',
      },
    )
  const known = Object.hasOwn(meanings, code) ? meanings[code] : undefined
  if (known === undefined) return [code, error && textOf(error, 'Message')].filter(Boolean).join(': ')
  const kind = kinds[code] ?? 'refused'
  const words = `${place}: ${known(reply)}`
  return new TransportFault(kind === 'refused' ? `${words}; ${advice}` : words, { kind })
}

const kinds: Readonly<Record<string, TransportFault['kind']>> = {
  NoSuchBucket: 'absent',
  SlowDown: 'unreachable',
  OperationAborted: 'unreachable',
  ConditionalRequestConflict: 'unreachable',
  RequestTimeout: 'unreachable',
  QuotaExceeded: 'full',
  RequestTimeTooSkewed: 'damaged',
}

const meanings: Readonly<Record<string, (reply: ExchangeReply) => string>> = {
  NoSuchBucket: () => 'it has no bucket of this name; make it first',
  SlowDown: () => 'it wants fewer requests',
  OperationAborted: () => 'another machine writes the same file now',
  ConditionalRequestConflict: () => 'another machine writes the same file now',
  RequestTimeout: () => 'the file did not arrive in time',
  QuotaExceeded: () => 'it is full',
  InvalidAccessKeyId: () => 'it does not know the access key',
  SignatureDoesNotMatch: () => 'the secret access key is wrong',
  AccessDenied: () =>
    'the access key may not do this; it needs to list the bucket, and to get, put and delete files in it',
  RequestTimeTooSkewed: ({ headers }) => {
    const theirs = Date.parse(String(headers.date ?? ''))
    const minutes = Math.round(Math.abs(Date.now() - theirs) / 60_000)
    const by = Number.isNaN(minutes) ? 'more than 15' : minutes
    return `the clock of this machine is ${by} minutes off; set it, since S3 takes no request that is more than 15 off`
  },
}
