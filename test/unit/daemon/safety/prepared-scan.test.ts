import test from 'ava'
import { prepareScan, scanContentInSlices } from '../../../../src/daemon/safety/scan.js'

test('a prepared scan leaves no preparation to the first scan', async t => {
  let stepCount = 0
  const scan = () =>
    scanContentInSlices('Use pnpm, not npm.', () => {
      stepCount++
      return undefined
    })
  await prepareScan()
  await scan()
  const first = stepCount
  await scan()
  t.is(stepCount - first, first)
})
