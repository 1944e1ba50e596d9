import test from 'ava'
import { killsOr } from '../helpers/kills.js'
import { endEqual } from '../helpers/sync-machines.js'
import { testPlaces } from '../helpers/sync-places.js'

// Each has three daemons.
for (const [kind, open] of Object.entries(testPlaces))
  test.serial(
    `${kind}: three machines end equal after kills, cut files, faults and a restored backup`,
    async t => {
      await endEqual(t, await open(t), killsOr(6))
    },
  )
