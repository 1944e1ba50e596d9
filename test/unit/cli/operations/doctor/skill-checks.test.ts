import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { checkSkills } from '../../../../../src/cli/operations/doctor/skill-checks.js'
import { doctorContext, fakeCall } from './doctor-fakes.js'

const skill = (name: string, problems: string[] = []) => ({ name, problems, path: join('/w/skills', name) })

async function check(t: ExecutionContext, skills: object[], skipped: object[] = []) {
  const call = fakeCall({ 'GET /api/skills': () => ({ skills, count: skills.length, skipped }) })
  return checkSkills(await doctorContext(t, { call }))
}

test('no skills, and skills without a fault, are fine', async t => {
  t.deepEqual(await check(t, []), { severity: 'ok', evidence: 'none installed' })
  t.deepEqual(await check(t, [skill('a'), skill('b')]), { severity: 'ok', evidence: '2 skills' })
})

test('a broken SKILL.md is a warning that names the skill, the fault and the file', async t => {
  const outcome = await check(t, [skill('a'), skill('b', ['its frontmatter is no YAML'])])
  t.deepEqual(outcome, {
    severity: 'warning',
    evidence: 'b: its frontmatter is no YAML',
    fix: `edit ${join('/w/skills', 'b', 'SKILL.md')}`,
  })
})

test('of many faults the first are named and the rest is counted', async t => {
  const outcome = await check(
    t,
    'abcdefg'.split('').map(name => skill(name, ['broken'])),
  )
  t.is(outcome.evidence, 'a: broken; b: broken; c: broken; d: broken; e: broken; 2 more')
})

test('a folder that is no skill is worth knowing of', async t => {
  const outcome = await check(t, [skill('a')], [{ name: 'empty', reason: 'it holds no SKILL.md' }])
  t.is(outcome.severity, 'info')
  t.regex(outcome.evidence, /^1 skill; .*empty: it holds no SKILL\.md$/)
})
