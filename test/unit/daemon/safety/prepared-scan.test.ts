import test from 'ava'
import { prepareScan, scanContentInSlices } from '../../../../src/daemon/safety/scan.js'

test('what was prepared is not left to the first scan', async t => {
  const steps = { count: 0 }
  const scan = () =>
    scanContentInSlices('Use pnpm, not npm.', () => {
      steps.count++
      return undefined
    })
  await prepareScan()
  await scan()
  const first = steps.count
  await scan()
  t.is(steps.count - first, first)
})
