import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { encodeModel, Units } from '../../src/store/embedding/static/model-file.js'

const help = `usage: node --import=tsx scripts/embedding-model/pack.ts --folder DIR --version NAME --out FILE VECTORS.f32...

Averages trained vectors into the file that the product loads: signed bytes with one factor per row.`

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { folder: { type: 'string' }, version: { type: 'string' }, out: { type: 'string' } },
})
if (!given.folder || !given.version || !given.out || positionals.length === 0) {
  console.error(help)
  process.exit(2)
}

function readFloats(path: string): Float32Array {
  const bytes = readFileSync(path)
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
}

const lines = readFileSync(join(given.folder, 'vocabulary.tsv'), 'utf8').trimEnd().split('\n')
const units = lines.map(line => line.split('\t')[0]!)
const runs = positionals.map(readFloats)
const dimensions = runs[0]!.length / units.length
const scales = new Float32Array(units.length)
const values = new Int8Array(units.length * dimensions)
for (const unit of units.keys()) {
  const row = Array.from({ length: dimensions }, (_, at) => {
    const place = unit * dimensions + at
    return runs.reduce((sum, run) => sum + run[place]!, 0) / runs.length
  })
  const largest = Math.max(...row.map(Math.abs))
  scales[unit] = largest / 127
  if (largest > 0)
    for (const [at, value] of row.entries())
      values[unit * dimensions + at] = Math.round((value / largest) * 127)
}
const vocabulary = new Units(`${units.join('\n')}\n`)
const file = encodeModel({ version: given.version, dimensions, units: vocabulary, scales, values })
writeFileSync(given.out, file)
console.log(`${given.out}: ${units.length} x ${dimensions}, ${(file.length / 1e6).toFixed(2)} MB`)
