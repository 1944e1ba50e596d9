import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { startDaemon, temporaryWorkspace } from '../../helpers/daemon.js'
import { putSkill, skillText } from '../../helpers/skills.js'

test('without a skills folder the list is empty', async t => {
  const { call } = await startDaemon(t)
  t.deepEqual((await call('GET /api/skills')).body, { skills: [], count: 0, skipped: [] } as never)
})

test('the list contains every skill with its frontmatter', async t => {
  const { call, paths } = await startDaemon(t)
  const fields =
    'license: MIT\nuser-invocable: false\nargument-hint: "[file]"\nmetadata:\n  version: 1.10\n  author: ada\n'
  putSkill(paths, 'tidy', skillText('tidy', fields))
  putSkill(paths, 'plain')
  const { body } = await call('GET /api/skills')
  t.is(body.count, 2)
  t.deepEqual(body.skills, [
    {
      name: 'plain',
      description: 'does plain',
      version: null,
      author: null,
      license: null,
      user_invocable: true,
      arg_hint: null,
      path: join(paths.skills, 'plain'),
      problems: [],
    },
    {
      name: 'tidy',
      description: 'does tidy',
      version: '1.10',
      author: 'ada',
      license: 'MIT',
      user_invocable: false,
      arg_hint: '[file]',
      path: join(paths.skills, 'tidy'),
      problems: [],
    },
  ])
})

test('the list reflects the current skills on disk', async t => {
  const { call, paths } = await startDaemon(t)
  putSkill(paths, 'one')
  t.is((await call('GET /api/skills')).body.skills[0]?.description, 'does one')
  putSkill(paths, 'one', skillText('one').replace('does one', 'does two'))
  t.is((await call('GET /api/skills')).body.skills[0]?.description, 'does two')
  rmSync(join(paths.skills, 'one'), { recursive: true })
  t.is((await call('GET /api/skills')).body.count, 0)
})

test('a skill with broken YAML is listed with its readable fields and the error', async t => {
  const { call, paths } = await startDaemon(t)
  putSkill(paths, 'colon', '---\nname: colon\ndescription: Use when: always\nlicense: MIT\n---\ntext')
  putSkill(paths, 'open', '---\nname: open\ndescription: never ends\n')
  putSkill(paths, 'bare', '# only text')
  const { skills } = (await call('GET /api/skills')).body
  t.deepEqual(
    skills.map(({ name, description, license }) => [name, description, license]),
    [
      ['bare', '', null],
      ['colon', 'Use when: always', 'MIT'],
      ['open', 'never ends', null],
    ],
  )
  t.regex(skills[0]?.problems[0] ?? '', /no frontmatter/)
  t.regex(skills[1]?.problems[0] ?? '', /not valid YAML/)
  t.regex(skills[2]?.problems[0] ?? '', /does not end/)
})

test('folders that are not skills are named with the reason', async t => {
  const { call, paths } = await startDaemon(t)
  putSkill(paths, 'good')
  mkdirSync(join(paths.skills, 'empty'))
  mkdirSync(join(paths.skills, 'has space'))
  mkdirSync(join(paths.skills, '.hidden'))
  writeFileSync(join(paths.skills, 'README.md'), 'no skill')
  const { body } = await call('GET /api/skills')
  t.deepEqual(
    body.skills.map(({ name }) => name),
    ['good'],
  )
  t.deepEqual(
    body.skipped.map(({ name }) => name),
    ['empty', 'has space'],
  )
  t.regex(body.skipped[0]?.reason ?? '', /no SKILL\.md/)
})

test('reading one skill returns its whole SKILL.md and the paths of its files', async t => {
  const { call, paths } = await startDaemon(t)
  putSkill(paths, 'tidy', undefined, { 'scripts/run.sh': 'echo', 'a.md': 'a' })
  const { body } = await call('GET /api/skills/:name', { params: { name: 'tidy' } })
  t.like(body, { name: 'tidy', content: skillText('tidy'), fileCount: 3 })
  t.deepEqual(body.files, ['SKILL.md', 'a.md', 'scripts/run.sh'])
})

test('a skill that is not installed is 404 when read or removed', async t => {
  const { call } = await startDaemon(t)
  const request = { params: { name: 'nowhere' } }
  t.like(await call('GET /api/skills/:name', request), { status: 404, body: { code: 'not_found' } })
  t.like(await call('DELETE /api/skills/:name', request), { status: 404, body: { code: 'not_found' } })
})

for (const name of [
  '..',
  '../memory',
  '..\\memory',
  '-g',
  'a b',
  'a;b',
  '$(a)',
  'a/b',
  '.hidden',
  'a..b',
  'x'.repeat(65),
])
  test(`the name ${JSON.stringify(name)} is refused with 400`, async t => {
    const { call, url, paths } = await startDaemon(t)
    putSkill(paths, 'good')
    const address = `${url}/api/skills/${encodeURIComponent(name).replaceAll('.', '%2E')}`
    // URL clients would remove dots from the path.
    if (name !== '..')
      for (const method of ['GET', 'DELETE'])
        t.like(await (await fetch(address, { method })).json(), { code: 'validation_failed' })
    const install = await call('POST /api/skills/install', { body: { name } })
    t.like(install, { status: 400, body: { code: 'validation_failed' } })
  })

test('a link that leads out of skills/ is not a skill, and its name is refused', async t => {
  const { call, paths } = await startDaemon(t)
  const outside = temporaryWorkspace(t)
  putSkill({ skills: outside }, 'secret')
  putSkill(paths, 'good')
  symlinkSync(join(outside, 'secret'), join(paths.skills, 'linked'), 'junction')
  const { body } = await call('GET /api/skills')
  t.deepEqual([body.count, body.skipped[0]?.name], [1, 'linked'])
  for (const address of ['GET /api/skills/:name', 'DELETE /api/skills/:name'] as const)
    t.like(await call(address, { params: { name: 'linked' } }), {
      status: 400,
      body: { code: 'validation_failed' },
    })
})

test('a SKILL.md that links out of its folder is not shown', async t => {
  const { call, paths } = await startDaemon(t)
  putSkill(paths, 'good')
  mkdirSync(join(paths.skills, 'sly'))
  writeFileSync(join(paths.root, 'secret.md'), 'secret')
  symlinkSync(join(paths.root, 'secret.md'), join(paths.skills, 'sly', 'SKILL.md'))
  const reply = await call('GET /api/skills/:name', { params: { name: 'sly' } })
  t.is(reply.status, 400)
  t.false(JSON.stringify(reply.body).includes('"secret"'))
})

test('a link to another skill is a skill of its own, and removing it keeps the other', async t => {
  const { call, paths } = await startDaemon(t)
  putSkill(paths, 'good')
  symlinkSync(join(paths.skills, 'good'), join(paths.skills, 'alias'), 'junction')
  t.is((await call('GET /api/skills')).body.count, 2)
  t.is((await call('DELETE /api/skills/:name', { params: { name: 'alias' } })).status, 200)
  t.deepEqual(
    (await call('GET /api/skills')).body.skills.map(({ name }) => name),
    ['good'],
  )
})

test('removing a skill removes its folder', async t => {
  const { call, paths } = await startDaemon(t)
  putSkill(paths, 'tidy', undefined, { 'deep/down/file': 'x' })
  const { status, body } = await call('DELETE /api/skills/:name', { params: { name: 'tidy' } })
  t.is(status, 200)
  t.like(body, { success: true, name: 'tidy' })
  t.is((await call('GET /api/skills')).body.count, 0)
})
