import test from 'ava'
import { killsOr } from '../helpers/kills.js'
import { endEqual } from '../helpers/sync-machines.js'
import { testPlaces } from '../helpers/sync-places.js'

test('folder: three machines end equal after kills, cut files and a restored backup', async t => {
  await endEqual(t, await testPlaces.folder(t), killsOr(4))
})
