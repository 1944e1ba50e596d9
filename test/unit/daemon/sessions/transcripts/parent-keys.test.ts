import test from 'ava'
import { parentKeysOf } from '../../../../../src/daemon/sessions/transcripts/parent-keys.js'

for (const [key, parents] of [
  ['agent:main:subagent:7', ['agent:main:main', 'agent:main']],
  ['agent:main:work:subagent:7', ['agent:main:work']],
  ['agent:main:subagent:1:subagent:2', ['agent:main:subagent:1']],
  ['s1:sub-agent:x', ['s1']],
  ['s1/subagents/x', ['s1']],
  ['agent:main:main', []],
  ['subagent:7', []],
  ['0198c0de-0000-7000-8000-000000000001', []],
] as const)
  test(`${key} runs in ${parents[0] ?? 'no other session'} (rules.md 4.10)`, t => {
    t.deepEqual(parentKeysOf(key), [...parents])
  })
