import test from 'ava'
import { scanContent } from '../../../../src/daemon/safety/scan.js'
import { attackClasses } from './attack-classes.js'
import { heldOut } from './held-out.js'

const isFlagged = (text: string) => scanContent(text).status !== 'clean'

for (const [name, { attacks, innocent }] of Object.entries(attackClasses)) {
  test(`attacks are detected, and harmless similar texts are not: ${name} (rules.md 1.6)`, t => {
    t.deepEqual(
      attacks.filter(text => !isFlagged(text)),
      [],
    )
    t.deepEqual(innocent.filter(isFlagged), [])
  })
}

test('most held-out attacks are detected, and hardly any similar harmless text', t => {
  const all = Object.values(heldOut)
  const attacks = all.flatMap(list => list.attacks)
  const innocent = all.flatMap(list => list.innocent)
  const found = attacks.filter(isFlagged).length
  const flagged = innocent.filter(isFlagged).length
  t.log(`${found} of ${attacks.length} found, ${flagged} of ${innocent.length} flagged`)
  t.true(found / attacks.length >= 0.65)
  t.true(flagged / innocent.length <= 0.05)
})
