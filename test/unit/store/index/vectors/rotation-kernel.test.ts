import { createHash } from 'node:crypto'
import test from 'ava'
import { Rotation } from '../../../../../src/store/index/vectors/rotation-kernel.js'
import { noise } from '../noise.js'

const lengths = [32, 64, 96, 384, 768, 1536, 8192]

test('plain JavaScript rotates like WebAssembly, bit for bit', t => {
  const next = noise(3)
  for (const length of lengths) {
    const [simd, plain] = [new Rotation(length), new Rotation(length, { simd: false })]
    // Short vectors are padded; numbers of very different sizes make every rounding matter.
    for (const count of [length, length - 5, 1, 0]) {
      const vector = Float32Array.from({ length: count }, (_, i) => next() * 10 ** ((i % 40) - 20))
      const [a, b] = [simd, plain].map(rotation => Buffer.from(rotation.turn(vector).slice().buffer))
      t.true(a!.equals(b!), `${count} of ${length}`)
    }
  }
})

test('a rotation preserves lengths and angles, and spreads each number over all', t => {
  const next = noise(4)
  for (const length of lengths) {
    const rotation = new Rotation(length)
    const [a, b] = [0, 1].map(() => Float32Array.from({ length }, next)) as [Float32Array, Float32Array]
    const [turnedA, turnedB] = [rotation.turn(a).slice(), rotation.turn(b).slice()]
    const product = (x: ArrayLike<number>, y: ArrayLike<number>) =>
      Array.from(x).reduce((sum, value, i) => sum + value * y[i]!, 0)
    t.true(Math.abs(product(turnedA, turnedB) - product(a, b)) < 1e-9 * length)
    t.true(Math.abs(product(turnedA, turnedA) - product(a, a)) < 1e-9 * length)
    const single = new Float32Array(length)
    single[length >> 1] = 1
    t.true(rotation.turn(single).every(value => Math.abs(value) < 0.51))
  }
})

test('the rotation equals the one used by codes in snapshots', t => {
  const next = noise(5)
  const vector = Float32Array.from({ length: 384 }, next)
  const turned = new Rotation(384).turn(vector)
  t.is(
    createHash('sha256').update(Buffer.from(turned.slice().buffer)).digest('hex').slice(0, 32),
    '1c769288e55caf3f4997da8d758594a6',
  )
})
