import { setTimeout as delay } from 'node:timers/promises'
import { type MeasuredDaemon, startMeasuredDaemon } from '../daemon/daemon-process.js'
import { temporaryWorkspace } from '../daemon/workspace.js'

const project = '/work/ferry'

/** Notes of a team about a project. */
const notes: readonly string[] = [
  'bookings listens on port 8085 and stores its data in Postgres 16.',
  'Aylin Demir owns bookings, her deputy is Jonas.',
  'bookings talks to fares and to the harbour API over gRPC.',
  'Known problem: bookings loses the seat when the payment takes longer than 15 minutes; workaround: reopen it in the admin.',
  'bookings is deployed to Fly.io in fra.',
  'fares is written in Go 1.23.',
  'fares caches its results in Valkey for 10 minutes.',
  'Owner of fares: Tom Berg',
  'fares must never round before the last step.',
  'We decided to use integers for all amounts in fares, because floats lost cents.',
  'The harbour API is at https://harbour.port.example/v2.',
  'The harbour API allows 5 requests per second.',
  'Contact for the harbour API: Ingrid Voss',
  'The harbour API answers 503 every Sunday between 02:00 and 03:00.',
  'The timetable importer runs every night at 03:30.',
  'The timetable importer reads from S3 and writes to bookings.',
  'To rerun the timetable importer: delete the lock in Valkey, then start the job in Argo.',
  'The timetable importer is written in Python 3.12.',
  'The web shop is built with SvelteKit 2.',
  'The web shop is hosted on Netlify.',
  'Every text of the web shop must exist in German and Danish.',
  'E2E tests of the web shop are run with Playwright.',
  'Lotte Friis designed the web shop.',
  'The crew app needs Android 12.',
  'The crew app is written in Kotlin.',
  'The crew app is maintained by the mobile team.',
  'Crash reports of the crew app go to Sentry.',
  'Aylin prefers small pull requests.',
  'Aylin is on holiday until 20 June 2026.',
  'Jonas reviews all migrations.',
  'Logs are kept for 30 days in Loki.',
  'Grafana: https://grafana.ferry.example',
  'Backups run every night at 01:00 and are copied to Backblaze.',
  'Stripe was replaced by Nets in April 2026.',
  'Nets is the payment provider for Denmark.',
  'Never deploy on the first day of the school holidays.',
]

/** A prompt with words of the facts that would help; none means that silence is right. */
const prompts: readonly (readonly [prompt: string, ...helps: string[]])[] = [
  ['which port does bookings use?', '8085'],
  ['add a column to the database of bookings', 'Postgres'],
  ['who owns bookings', 'Aylin'],
  ['users lose seats in bookings when paying slowly, what do we know', 'seat', 'reopen'],
  ['deploy bookings', 'Fly.io', 'fra', 'school holidays'],
  ['call fares from bookings', 'fares', 'gRPC', 'harbour'],
  ['which Go version is fares on', '1.23'],
  ['why are prices stale in fares, is there a cache', 'Valkey', '10 minutes'],
  ['who maintains fares?', 'Tom Berg'],
  ['fix the rounding in fares', 'round', 'integers', 'amounts'],
  ['use floats for amounts in fares?', 'integers', 'round', 'amounts'],
  ['what is the address of the harbour API', 'harbour.port.example'],
  ['we get rate limited by the harbour API', '5 requests'],
  ['whom do I ask about the harbour API', 'Ingrid'],
  ['the harbour API fails with 503 since tonight', '503'],
  ['when does the timetable importer run', '03:30'],
  ['the timetable importer hangs, how do I rerun it', 'lock', 'delete'],
  ['add a test to the timetable importer', 'Python', '3.12'],
  ['where does the timetable importer read its files', 'S3'],
  ['which framework does the web shop use', 'SvelteKit'],
  ['add a new text to the web shop', 'German'],
  ['where is the web shop hosted', 'Netlify'],
  ['write an e2e test for the web shop', 'Playwright'],
  ['who designed the web shop', 'Lotte'],
  ['which Android version does the crew app need', 'Android', '12'],
  ['port the login of the crew app', 'Kotlin'],
  ['who looks after the crew app', 'mobile team'],
  ['open a pull request for Aylin', 'small pull requests'],
  ['is Jonas the right reviewer for this migration', 'review'],
  ['do we still use Stripe?', 'Nets'],
  ['open the dashboards in Grafana', 'grafana.ferry.example'],
  ['what is Nets', 'payment provider'],
  ['rename this variable'],
  ['explain how generators work in JavaScript'],
  ['write a regular expression for dates'],
  ['the button should be green'],
  ['run the formatter and commit'],
  ['what time is it in Tokyo'],
  ['split this function in two'],
  ['thanks, that looks good'],
]

/** Facts that the rules read from notes, as prompts get them. */
export interface NotePromptFigures {
  notes: number
  told: number
  helping: number
  asked: number
  helped: number
  foreign: number
  silent: number
  faults: readonly string[]
}

/** Saves the notes, reads them with Dreaming, and sends 40 prompts, each in a session of its own. */
export async function measureNotePrompts(): Promise<NotePromptFigures> {
  const workspace = temporaryWorkspace({ embedding: { provider: 'none' } })
  const daemon = await startMeasuredDaemon(workspace.folder)
  try {
    for (const content of notes) await daemon.ask('POST', '/api/memory/remember', { content, project })
    await dream(daemon)
    const figures = { notes: notes.length, told: 0, helping: 0, asked: 0, helped: 0, foreign: 0, silent: 0 }
    const faults: string[] = []
    for (const [n, [prompt, ...helps]] of prompts.entries()) {
      const told = await factsFor(daemon, prompt, n)
      if (helps.length === 0) {
        figures.foreign++
        if (told.length === 0) figures.silent++
        else faults.push(`${prompt}: told ${told.join(' | ')}`)
        continue
      }
      const helping = told.filter(fact => helps.some(word => fact.includes(word)))
      figures.asked++
      figures.told += told.length
      figures.helping += helping.length
      if (helping.length > 0) figures.helped++
      const useless = told.filter(fact => !helping.includes(fact))
      if (useless.length > 0 || helping.length === 0)
        faults.push(`${prompt}: ${useless.join(' | ') || 'nothing'} instead of ${helps.join(', ')}`)
    }
    return { ...figures, faults }
  } finally {
    await daemon.stop()
    workspace.remove()
  }
}

async function dream(daemon: MeasuredDaemon): Promise<void> {
  const { body: asked } = await daemon.ask('POST', '/api/dream/trigger', {})
  for (;;) {
    const { body } = await daemon.ask('GET', '/api/dream/status')
    if (
      body.passes.some((one: { jobId: string; endedAt: string }) => one.jobId === asked.jobId && one.endedAt)
    )
      return
    await delay(50)
  }
}

/** The facts of the lines about entities. */
async function factsFor(daemon: MeasuredDaemon, prompt: string, n: number): Promise<string[]> {
  const body = { harness: 'claude-code', sessionKey: `notes ${n}`, project, userMessage: prompt }
  const { status, body: reply } = await daemon.ask('POST', '/api/hooks/user-prompt-submit', body)
  if (status !== 200) throw new Error(`user-prompt-submit answered ${status}`)
  const lines = String(reply.inject)
    .split('\n')
    .flatMap(line => /^- [^:]+ \([^)]*\): (.+)$/u.exec(line)?.[1] ?? [])
  return lines.flatMap(line => line.split('; '))
}

export function formatNotePrompts(figures: NotePromptFigures): string {
  const { told, helping, asked, helped, foreign, silent, faults } = figures
  const share = (part: number, all: number): string => (all === 0 ? '–' : (part / all).toFixed(3))
  return [
    `prompts over ${figures.notes} notes: ${share(helping, told)} of ${told} told facts help (goal 0.8), ` +
      `${share(helped, asked)} of ${asked} prompts got one, ` +
      `${share(silent, foreign)} of ${foreign} foreign prompts got nothing (goal 1)`,
    ...faults.map(fault => `- ${fault}`),
  ].join('\n')
}
