/**
 * release.js FOLDER: packs the built tree into FOLDER, twice to see that both packs are equal, with its SBOM
 * (CycloneDX), the checksums, a setup for Windows, and manifests for Homebrew, Nix, Scoop and winget. Run
 * `npm run build` first. GITHUB_REPOSITORY names the repository whose release will have the setup.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { manifestsOf } from './release-manifests.js'

const root = join(import.meta.dirname, '..')
const [place] = process.argv.slice(2)
if (place === undefined) throw new Error('usage: node scripts/release.js FOLDER')
const folder = resolve(place)
const description = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
const { name, version } = description
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'

/** @returns {Promise<{ file: string, sha256: string }>} the pack, and the checksum of its bytes. */
async function pack(destination) {
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', destination]
  const [{ filename }] = JSON.parse(runNpm(words))
  const bytes = await readFile(join(destination, filename))
  return { file: filename, sha256: checksum(bytes) }
}

function checksum(bytes) {
  return createHash('sha256').update(bytes).digest('hex')
}

function runNpm(words) {
  const shell = process.platform === 'win32'
  return execFileSync(npm, words, { cwd: root, shell, maxBuffer: 256 * 1024 * 1024, encoding: 'utf8' })
}

/** npm names the component after its folder. */
function bill() {
  const document = JSON.parse(runNpm(['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application']))
  document.metadata.component.name = name
  return `${JSON.stringify(document, null, 2)}\n`
}

/** @returns the setup for Windows, with its checksum and address; undefined without makensis. */
async function windowsSetup(pack) {
  const file = `${name}-${version}-setup.exe`
  const out = join(folder, file)
  const defined = { VERSION: version, PACK: join(folder, pack), OUT: out }
  const words = Object.entries(defined).map(([field, value]) => `-D${field}=${value}`)
  try {
    execFileSync('makensis', ['-V2', '-WX', '-NOCD', ...words, join(root, 'deploy', 'setup.nsi')])
  } catch (error) {
    if (error.code !== 'ENOENT' || process.env.GITHUB_ACTIONS) throw error
    console.log(
      'No setup for Windows and no manifest of winget: makensis is not installed (apt-get install nsis).',
    )
    return
  }
  const repository = process.env.GITHUB_REPOSITORY ?? `${name}/${name}`
  const url = `https://github.com/${repository}/releases/download/v${version}/${file}`
  return { file, url, sha256: checksum(await readFile(out)) }
}

await mkdir(folder, { recursive: true })
const again = await mkdtemp(join(tmpdir(), 'memory-release-'))
try {
  const first = await pack(folder)
  const second = await pack(again)
  if (first.sha256 !== second.sha256) throw new Error(`two packs differ: ${first.sha256} ${second.sha256}`)
  await writeFile(join(folder, 'sbom.cdx.json'), bill())
  const setup = await windowsSetup(first.file)
  const sums = [first, setup].filter(Boolean).map(({ file, sha256 }) => `${sha256}  ${file}\n`)
  await writeFile(join(folder, 'SHA256SUMS'), sums.join(''))
  await mkdir(join(folder, 'manifests'), { recursive: true })
  for (const [file, text] of Object.entries(manifestsOf(description, first.sha256, setup)))
    await writeFile(join(folder, 'manifests', file), text)
  console.log(`${name} ${version}: ${first.file}, SHA-256 ${first.sha256}`)
} finally {
  await rm(again, { recursive: true, force: true })
}
