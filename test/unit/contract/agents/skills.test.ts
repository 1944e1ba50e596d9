// runs: in turn

import test from 'ava'
import { sourceFault } from '../../../../src/contract/agents/skills.js'
import { leastCpuMsOf } from '../../../helpers/cpu-time.js'

for (const source of [
  'tidy',
  'tidy@1.2.3',
  '@ada/skills',
  'ada/skills',
  'ada/skills/skills/tidy',
  'ada/skills@tidy',
  'ada/skills#main',
  'github:ada/skills',
  'gitlab:ada/skills',
  'https://github.com/ada/skills',
  'https://github.com/ada/skills.git',
  'https://github.com/ada/skills/tree/main/skills/tidy',
  'https://gitlab.com/group/sub/skills/',
  'https://example.com',
  'git@github.com:ada/skills.git',
  'ssh://git@host.example/ada/skills.git',
])
  test(`${source} is accepted as a source`, t => t.is(sourceFault(source), undefined))

test('a long text is checked as a source in linear time', t => {
  for (const text of ['a/'.repeat(100_000), `https://${'a-'.repeat(249)}!`, `${'a#'.repeat(249)}!`]) {
    t.true(leastCpuMsOf(() => sourceFault(text)) < 100)
    t.not(sourceFault(text), undefined)
  }
})
