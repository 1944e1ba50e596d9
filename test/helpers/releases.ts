import { execFileSync } from 'node:child_process'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import { packageName } from '../../src/lib/workspace/version.js'
import { temporaryWorkspace } from './daemon.js'
import type { Scope } from './daemon-process.js'
import { type HttpFake, sendJson, startHttpFake } from './embedding-fakes.js'

const published = '2026-02-03T04:05:06.000Z'

export interface RegistryFake extends HttpFake {
  /** Versions by their tags. */
  tags: Record<string, string>
  /** Version that a package reports; its own version by default. */
  says: Record<string, string>
  /** Versions whose bytes do not match the registry's checksum. */
  torn: Set<string>
}

/** An npm registry with one package: its metadata and its files. */
export async function startRegistry(t: Scope, tags: Record<string, string>): Promise<RegistryFake> {
  const folder = temporaryWorkspace(t as never)
  const told = { tags, says: {} as Record<string, string>, torn: new Set<string>() }
  const packed = (version: string): Buffer => packPackage(folder, version, told.says[version] ?? version)
  const fake = await startHttpFake(t, ({ path }, response) => {
    const file = /\/-\/.*-(\d[^/]*)\.tgz$/u.exec(path)?.[1]
    if (file !== undefined) return void response.writeHead(200).end(packed(file))
    if (path !== `/${packageName}`) return sendJson(response, 404, { error: 'not_found' })
    const versions = Object.values(told.tags).map(version => {
      const bytes = packed(version)
      const hashed = told.torn.has(version) ? Buffer.from('other bytes') : bytes
      const dist = {
        tarball: `${fake.url}/${packageName}/-/${packageName}-${version}.tgz`,
        integrity: `sha512-${createHash('sha512').update(hashed).digest('base64')}`,
        shasum: createHash('sha1').update(hashed).digest('hex'),
      }
      return [version, { name: packageName, version, bin: { memory: 'bin/run.js' }, dist }] as const
    })
    return sendJson(response, 200, {
      name: packageName,
      'dist-tags': told.tags,
      versions: Object.fromEntries(versions),
      time: Object.fromEntries(versions.map(([version]) => [version, published])),
      homepage: 'https://example.org/memory',
    })
  })
  return Object.assign(fake, told)
}

/** Puts a package into a folder like a package manager, with a program that prints its version. */
export function putPackage(folder: string, version: string, says = version): void {
  const run = `#!/usr/bin/env node\nconsole.log('${packageName}/${says} linux-x64 node-v20.19.0')\n`
  mkdirSync(join(folder, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'bin', 'run.js'), run, { mode: 0o755 })
  const manifest = { name: packageName, version, bin: { memory: 'bin/run.js' } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
}

function packPackage(folder: string, version: string, says: string): Buffer {
  const file = join(folder, `${version}-${says}.tgz`)
  try {
    return readFileSync(file)
  } catch {
    putPackage(join(folder, version, 'package'), version, says)
    execFileSync('tar', ['-czf', file, '-C', join(folder, version), 'package'])
    return readFileSync(file)
  }
}

export interface ReleaseFake extends HttpFake {
  /** `update` of agent.yaml that uses this server. */
  settings: { manifestUrl: string; manifestKey: string }
  /** Content of the manifest, signed at each request. */
  manifest: unknown
  /** The executable that it serves. */
  file: Buffer
  /** Signs with another key. */
  isForged: boolean
}

/** A release server: a signed manifest, and an executable that prints a version. */
export async function startReleases(t: Scope, version: string): Promise<ReleaseFake> {
  const keys = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')] as const
  const file = executableOf(version)
  const told = {
    manifest: undefined as unknown,
    file,
    isForged: false,
    settings: { manifestUrl: '', manifestKey: '' },
  }
  const release = await startHttpFake(t, ({ path }, response) => {
    const text = JSON.stringify(fake.manifest)
    if (path === '/manifest.json') return void response.writeHead(200).end(text)
    if (path === '/manifest.json.sig') {
      const { privateKey } = keys[fake.isForged ? 1 : 0]
      return void response.writeHead(200).end(sign(null, Buffer.from(text), privateKey).toString('base64'))
    }
    // Like real release hosts: a redirect leads to the bytes.
    if (path === '/memory') return void response.writeHead(302, { location: '/store/memory' }).end()
    if (path === '/store/memory') return void response.writeHead(200).end(fake.file)
    return void response.writeHead(404).end()
  })
  const fake = Object.assign(release, told)
  fake.settings.manifestUrl = `${release.url}/manifest.json`
  fake.settings.manifestKey = keys[0].publicKey
    .export({ format: 'der', type: 'spki' })
    .subarray(-32)
    .toString('base64')
  fake.manifest = manifestOf(version, file)
  return fake
}

/** A manifest of one release with one file, for the machine that runs this. */
export function manifestOf(version: string, file: Buffer, fields: object = {}) {
  return {
    version,
    channel: 'stable',
    releaseUrl: 'https://example.org/releases',
    releaseNotes: 'Better.\nFaster.',
    publishedAt: published,
    assets: [
      {
        platform: process.platform,
        arch: process.arch,
        url: 'memory',
        sha256: createHash('sha256').update(file).digest('hex'),
        size: file.length,
        ...fields,
      },
    ],
  }
}

/** An executable that prints a version, or exits with an error. */
export function executableOf(version: string | undefined): Buffer {
  const line = version === undefined ? 'exit 1' : `echo "${packageName}/${version} linux-x64"`
  return Buffer.from(`#!/bin/sh\n${line}\n# ${'x'.repeat(64 * 1024)}\n`)
}

/** A folder with an executable of a version, as if downloaded. */
export function putExecutable(t: Scope, version: string): string {
  const file = join(temporaryWorkspace(t as never), 'bin', 'memory')
  mkdirSync(dirname(file))
  writeFileSync(file, executableOf(version))
  chmodSync(file, 0o755)
  return file
}

/** agent.yaml of a workspace that uses this release server. */
export function settingsAsking({ settings }: ReleaseFake): string {
  return stringify({ embedding: { provider: 'none' }, update: settings })
}
