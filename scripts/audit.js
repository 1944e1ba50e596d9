// npm run audit: licences of the installed packages, from package-lock.json and without a network, then known
// vulnerabilities, if a registry answers. Ends with 1 for a licence that is not allowed or a vulnerability
// from `high` on.

import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Licences that a distributed package may have (SPDX). */
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'Artistic-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC-BY-3.0',
  'CC-BY-4.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'Python-2.0',
  'Unlicense',
  'WTFPL',
  'Zlib',
])
/** Allowed where nothing of the package is distributed. */
const allowedInDevelopment = new Set(['LGPL-3.0-or-later'])

/**
 * True if a licence expression can be fulfilled: one side of an OR, both of an AND.
 * @param {string} expression
 */
export function isAllowed(expression, { dev = false } = {}) {
  const text = expression.replace(/^\((.*)\)$/u, '$1')
  const either = text.split(/ OR /u)
  if (either.length > 1) return either.some(one => isAllowed(one, { dev }))
  return text
    .split(/ AND /u)
    .map(one => one.replace(/[()]/gu, '').trim())
    .every(one => allowed.has(one) || (dev && allowedInDevelopment.has(one)))
}

/**
 * Faults of the packages in a lock file: a licence that is missing or not allowed, no checksum, or a source
 * that is not an https registry.
 * @param {{ packages: Record<string, object> }} lock
 */
export function faultsOf({ packages }) {
  return Object.entries(packages).flatMap(
    ([path, { license, dev, devOptional, resolved, integrity, link }]) => {
      if (path === '' || link) return []
      const faults = []
      if (typeof license !== 'string') faults.push('names no licence')
      else if (!isAllowed(license, { dev: dev || devOptional })) faults.push(`has the licence ${license}`)
      if (!integrity) faults.push('has no checksum')
      if (resolved !== undefined && !resolved.startsWith('https://')) faults.push(`comes from ${resolved}`)
      return faults.map(fault => `${path.replace(/^.*node_modules\//u, '')}: ${fault}`)
    },
  )
}

/**
 * Reads the output of `npm audit --json`. Without a network, and from registries without advisories, it lists
 * none, and the audit does not fail.
 * @param {string} output
 * @returns {{ faults: string[], unanswered?: string }}
 */
export function advisoriesOf(output) {
  const report = reportOf(output)
  if (!report.vulnerabilities)
    return { faults: [], unanswered: report.message ?? report.error?.summary ?? 'no answer' }
  const grave = Object.values(report.vulnerabilities).filter(({ severity }) =>
    ['high', 'critical'].includes(severity),
  )
  return { faults: grave.map(({ name, severity, range }) => `${name} ${range}: ${severity} vulnerability`) }
}

function reportOf(output) {
  try {
    return JSON.parse(output) ?? {}
  } catch {
    return {}
  }
}

/** Asks npm's registry. */
async function advisories() {
  const output = await new Promise(resolve =>
    execFile(
      'npm',
      ['audit', '--json'],
      { cwd: root, timeout: 60_000, maxBuffer: 2 ** 26 },
      (_error, stdout) => resolve(stdout),
    ),
  )
  return advisoriesOf(output)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
  const faults = faultsOf(lock)
  const count = Object.keys(lock.packages).length - 1
  console.log(`${count} packages: ${faults.length} faults of licences, checksums and sources`)
  const { faults: grave, unanswered } = await advisories()
  if (unanswered)
    console.log(`vulnerabilities were NOT checked, since the registry did not answer: ${unanswered}`)
  else console.log(`${grave.length} packages with a grave vulnerability`)
  for (const fault of [...faults, ...grave]) console.error(`- ${fault}`)
  process.exitCode = faults.length + grave.length > 0 ? 1 : 0
}
