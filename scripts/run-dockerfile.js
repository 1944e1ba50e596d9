/**
 * run-dockerfile.js DOCKERFILE BASE PLACE [NAME=VALUE...]: takes the steps of a Dockerfile without a
 * container engine. BASE is an unpacked root that replaces each `FROM node:...`, PLACE an empty folder.
 * NAME=VALUE are build arguments. It prints what the last stage is started with, as JSON. Run it as root.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const [file, base, place, ...given] = process.argv.slice(2)
if (place === undefined) throw new Error('usage: run-dockerfile.js DOCKERFILE BASE PLACE [NAME=VALUE...]')
const context = dirname(file)
const stages = new Map()
let stage

/** @returns {{ name: string, text: string }[]} instructions without comments, continued lines joined. */
function instructionsOf(text) {
  const lines = text.split('\n').filter(line => !/^\s*(?:#|$)/u.test(line))
  const whole = lines.join('\n').replace(/\\\n/gu, ' ')
  return whole.split('\n').map(line => {
    const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/u.exec(line) ?? []
    return { name, text: rest.trim() }
  })
}

/** Words of NAME=VALUE, as `ENV` has them. */
function pairsOf(text) {
  return Object.fromEntries(text.split(/\s+/u).map(word => word.split(/=(.*)/su).slice(0, 2)))
}

function shellWords(text) {
  return text.startsWith('[') ? JSON.parse(text) : ['/bin/sh', '-c', text]
}

function inRoot(words) {
  const env = {
    PATH: '/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    ...stage.env,
  }
  execFileSync('chroot', [`--userspec=${stage.user}`, stage.root, ...words], {
    env: { ...env, ...stage.buildArguments },
    stdio: ['ignore', 2, 2],
  })
}

const steps = {
  FROM(text) {
    const [, , name = 'last'] = /^(\S+)(?:\s+AS\s+(\S+))?$/iu.exec(text)
    stage = { root: join(place, name), env: {}, user: 'root', workdir: '/', volumes: [], buildArguments: {} }
    stages.set(name, stage)
    execFileSync('cp', ['--archive', base, stage.root])
  },
  ARG(text) {
    const [[name, value = '']] = Object.entries(pairsOf(text))
    const chosen = given.find(word => word.startsWith(`${name}=`))
    stage.buildArguments[name] = chosen?.slice(name.length + 1) ?? value
  },
  ENV: text => Object.assign(stage.env, pairsOf(text)),
  USER: text => Object.assign(stage, { user: text }),
  WORKDIR: text => Object.assign(stage, { workdir: text }),
  VOLUME: text => stage.volumes.push(text),
  EXPOSE: text => Object.assign(stage, { port: Number(text) }),
  STOPSIGNAL: text => Object.assign(stage, { stopSignal: text }),
  HEALTHCHECK: text => Object.assign(stage, { health: shellWords(text.slice(text.indexOf('CMD ') + 4)) }),
  CMD: text => Object.assign(stage, { command: shellWords(text) }),
  RUN(text) {
    const [, target, command] = /^(?:--mount=type=bind,target=(\S+)\s+)?(.*)$/u.exec(text)
    if (target) cpSync(context, join(stage.root, target), { recursive: true })
    inRoot(['/bin/sh', '-c', command])
    if (target) rmSync(join(stage.root, target), { recursive: true })
  },
  COPY(text) {
    const [, from, source, to] = /^(?:--from=(\S+)\s+)?(\S+)\s+(\S+)$/u.exec(text)
    const path = from ? join(stages.get(from).root, source) : join(context, source)
    const target = join(stage.root, to)
    const isInto = to.endsWith('/') || (existsSync(target) && statSync(target).isDirectory())
    mkdirSync(dirname(target), { recursive: true })
    execFileSync('cp', [
      '--recursive',
      '--preserve=mode,timestamps,links',
      path,
      isInto ? join(target, basename(source)) : target,
    ])
  },
}

for (const { name, text } of instructionsOf(readFileSync(file, 'utf8'))) {
  if (!steps[name]) throw new Error(`this script does not know ${name}`)
  console.error(`${name} ${text.slice(0, 100)}`)
  steps[name](text)
}
console.log(JSON.stringify(stage))
