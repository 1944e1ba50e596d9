import { createHash, createHmac } from 'node:crypto'
import type { Scope } from './daemon-process.js'
import { type Answer, type AskedRequest, escaped, type FakeStore, startStore } from './fake-store.js'

const s3Keys = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
}
export const s3Credentials = `${s3Keys.accessKeyId}:${s3Keys.secretAccessKey}`
const region = 'us-east-1'
const skewMs = 15 * 60 * 1000

interface FakeS3Options {
  /** Files of one page of a list. */
  pageSize?: number
  /** False for services that refuse `if-none-match`. */
  conditional?: boolean
}

/** S3 with one bucket, `shelf`, by path, as a service that checks each signature. Keys have no bucket. */
export function startFakeS3(
  t: Scope,
  { pageSize = 1000, conditional = true }: FakeS3Options = {},
): Promise<FakeStore> {
  return startStore(t, (store, asked) => {
    const refusal = checked(asked)
    if (refusal) return refusal
    const [path = '', query = ''] = asked.path.split('?')
    const key = decodeURIComponent(path).replace(/^\/shelf\//u, '')
    if (!path.startsWith('/shelf/')) return error(404, 'NoSuchBucket')
    if (key === '') return list(store, new URLSearchParams(query), pageSize)
    return object(store, asked, key, conditional)
  })
}

function object(
  store: FakeStore,
  { method, headers, body }: AskedRequest,
  key: string,
  conditional: boolean,
): Answer {
  const file = store.files.get(key)
  if (method === 'GET')
    return file ? { status: 200, headers: { etag: etag(file) }, body: file } : error(404, 'NoSuchKey')
  if (method === 'DELETE') {
    store.files.delete(key)
    return { status: 204 }
  }
  if (method !== 'PUT') return error(405, 'MethodNotAllowed')
  if (headers['if-none-match'] !== undefined) {
    if (!conditional) return error(501, 'NotImplemented')
    if (file) return error(412, 'PreconditionFailed')
  }
  store.files.set(key, body)
  // As moto answers: a type, and no words.
  return { status: 200, headers: { etag: etag(body), 'content-type': 'text/html' } }
}

function list({ files, hidden }: FakeStore, query: URLSearchParams, pageSize: number): Answer {
  if (query.get('list-type') !== '2') return error(400, 'InvalidArgument')
  const prefix = query.get('prefix') ?? ''
  const after = Buffer.from(query.get('continuation-token') ?? '', 'base64').toString()
  const all = [...files.keys()].filter(key => key.startsWith(prefix) && !hidden.has(key)).sort()
  const rest = all.filter(key => key > after)
  const page = rest.slice(0, pageSize)
  const name = (key: string): string =>
    query.get('encoding-type') === 'url' ? encodeURIComponent(key) : escaped(key)
  const contents = page.map(
    key => `<Contents><Key>${name(key)}</Key><Size>${files.get(key)!.length}</Size></Contents>`,
  )
  const isTruncated = rest.length > pageSize
  const token = isTruncated
    ? `<NextContinuationToken>${Buffer.from(page.at(-1)!).toString('base64')}</NextContinuationToken>`
    : ''
  const encoding = query.get('encoding-type') === 'url' ? '<EncodingType>url</EncodingType>' : ''
  return xml(
    200,
    `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>${isTruncated}</IsTruncated>${encoding}${token}${contents.join('')}</ListBucketResult>`,
  )
}

/** Checks a signature of version 4 as the service's own page describes it. */
function checked({ method, path, headers, body }: AskedRequest): Answer | undefined {
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/u.exec(
      headers.authorization ?? '',
    )
  if (!found) return error(403, 'AccessDenied')
  const [, id, day = '', where, names = '', signature] = found
  if (id !== s3Keys.accessKeyId) return error(403, 'InvalidAccessKeyId')
  if (where !== region) return error(400, 'AuthorizationHeaderMalformed', `<Region>${region}</Region>`)
  const date = String(headers['x-amz-date'])
  const at = Date.parse(date.replace(/^(....)(..)(..T..)(..)/u, '$1-$2-$3:$4:'))
  if (!(Math.abs(at - Date.now()) < skewMs)) return error(403, 'RequestTimeTooSkewed')
  const hash = sha256(body)
  if (headers['x-amz-content-sha256'] !== hash) return error(400, 'XAmzContentSHA256Mismatch')
  const signed = names.split(';')
  if (!['host', 'x-amz-content-sha256', 'x-amz-date'].every(name => signed.includes(name)))
    return error(403, 'AccessDenied')
  const [route, query = ''] = path.split('?')
  const canonical = [
    ...[method, route, query.split('&').sort().join('&')],
    ...[signed.map(name => `${name}:${String(headers[name]).trim()}\n`).join(''), names, hash],
  ].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const words = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (last, part) => createHmac('sha256', last).update(part).digest(),
    `AWS4${s3Keys.secretAccessKey}`,
  )
  const right = createHmac('sha256', key).update(words).digest('hex')
  return right === signature ? undefined : error(403, 'SignatureDoesNotMatch')
}

function error(status: number, code: string, more = ''): Answer {
  return xml(
    status,
    `<Error><Code>${code}</Code><Message>in the words of the service</Message>${more}</Error>`,
  )
}

function xml(status: number, text: string): Answer {
  return {
    status,
    headers: { 'content-type': 'application/xml' },
    body: `<?xml version="1.0" encoding="UTF-8"?>\n${text}`,
  }
}

function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function etag(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`
}
