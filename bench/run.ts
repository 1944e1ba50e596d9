import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { delimiter, join } from 'node:path'
import { parseArgs } from 'node:util'
import { formatAgentsSuite, runAgentsSuite } from './agents/suite.js'
import { formatBackupSuite, runBackupSuite } from './backup/suite.js'
import { formatCaptureSuite, runCaptureSuite } from './capture/suite.js'
import { formatCodeSuite, runCodeSuite } from './code/suite.js'
import { formatContextSuite, runContextSuite } from './context/suite.js'
import { formatDaemonSuite, runDaemonSuite } from './daemon/suite.js'
import { formatDiagnosticsSuite, runDiagnosticsSuite } from './diagnostics/suite.js'
import { formatDocumentsSuite, runDocumentsSuite } from './documents/suite.js'
import { formatDreamingSuite, runDreamingSuite } from './dreaming/suite.js'
import { formatHooksSuite, runHooksSuite } from './hooks/suite.js'
import { formatImportSuite, runImportSuite } from './imports/suite.js'
import { formatIndexSuite, runIndexSuite } from './index/suite.js'
import { formatThreadsSuite, runThreadsSuite } from './index/threads.js'
import { formatItemsSuite, runItemsSuite } from './items/suite.js'
import { formatKnowledgeSuite, runKnowledgeSuite } from './knowledge/suite.js'
import { formatLanguagesSuite, runLanguagesSuite } from './languages/suite.js'
import { formatConversationSuite, runConversationSuite } from './longmemeval/suite.js'
import { formatModelsSuite, runModelsSuite } from './models/suite.js'
import { recallByGraph } from './ontology/recall-by-graph.js'
import { runOntologySuite } from './ontology/suite.js'
import { measureQuality } from './quality/suite.js'
import { formatRecallInTurns } from './recall/in-turns.js'
import { formatRecallSuite, runRecallSuite } from './recall/suite.js'
import { formatRepairSuite, runRepairSuite } from './repair/suite.js'
import { formatSecretsSuite, runSecretsSuite } from './secrets/suite.js'
import { formatSessionsSuite, runSessionsSuite } from './sessions/suite.js'
import { formatSourcesSuite, runSourcesSuite } from './sources/suite.js'
import { formatSpeedSuite } from './speed/format.js'
import { runSpeedSuite } from './speed/suite.js'
import { formatWritesSuite, runWritesSuite } from './speed/writes.js'
import { formatStoresSuite, runStoresSuite } from './stores/suite.js'
import { formatTeamSuite, runTeamSuite } from './stores/team.js'
import { formatTasksSuite, runTasksSuite } from './tasks/suite.js'
import { formatLogStream, measureLogStream } from './telemetry/log-stream.js'
import { formatTelemetrySuite, runTelemetrySuite } from './telemetry/suite.js'
import { formatWebPageSuite, runWebPageSuite } from './web-page/suite.js'

const help = `usage: npm run bench -- [SUITE...] [--sizes 10000,100000] [--data PATH...]

suites: agents, backup, capture, code, context, daemon, diagnostics, documents, dreaming, hooks, imports, knowledge, languages, logs, models, ontology, repair, search, secrets, sessions, sources, speed, tasks, telemetry, threads, writes, index, recall, quality, web-page (default: all); longmemeval with --data; stores and team with the programs of PostgreSQL
  --data PATH   for quality: a question set, or a folder of them; repeatable (or set QUALITY_DATA)
                for longmemeval: a file in the format of LongMemEval or LoCoMo; repeatable
                for code: a project, which is copied; without one the suite is skipped
                for knowledge: files of notes (project, type, text, expected facts; tabs between)
                for sources: an Obsidian vault, in addition to the generated one
  --commits F   for context: a file of git log --format=%x1e%s%n%b; repeatable; without one no prompts are sent
  --ablation    for quality: omit each part of the ranking in turn
  --vectors M   for quality, longmemeval and writes: use the vectors of a packaged model, words or sentences
  --claims      for quality: also rank with the facts that Dreaming's rules extract
  --details     for knowledge: print what was read of each note
  --small       for quality: also measure stores of a few rows from each set
  --fit         for quality: refit weights.confidence over all sets
  --json FILE   for quality: write every question with its ranks to FILE
  --sizes LIST  rows for agents, backup, diagnostics, documents, dreaming, repair, sources, speed, stores, team, telemetry, threads, writes, index and recall; sessions for capture; memories for search, 0 for its questions alone
  --megabytes N size of the conversations for imports
  --files N     files for documents, notes for sources
  --resync N    unchanged files of a connector for documents; 0 skips it (--sizes 0 skips the recall)
  --runs N      runs of each hook, pairs for telemetry, starts and programs for speed, calls for team
  --before DIR  for speed: another build to compare, measured in turns
  --minutes N   idle minutes for tasks; quiet minutes for speed
  --seconds N   length of the live log for logs`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string', multiple: true },
    commits: { type: 'string', multiple: true },
    ablation: { type: 'boolean' },
    vectors: { type: 'string' },
    claims: { type: 'boolean' },
    small: { type: 'boolean' },
    details: { type: 'boolean' },
    fit: { type: 'boolean' },
    json: { type: 'string' },
    sizes: { type: 'string' },
    runs: { type: 'string' },
    seconds: { type: 'string' },
    megabytes: { type: 'string' },
    files: { type: 'string' },
    resync: { type: 'string' },
    minutes: { type: 'string' },
    before: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
})
const sizes = values.sizes?.split(',').map(Number)
const print = (line: string): void => console.log(line)

const suites: Record<string, () => Promise<unknown>> = {
  agents: async () => shown(await runAgentsSuite(sizes ? { rows: sizes[0] } : {}), formatAgentsSuite),
  backup: async () => shown(await runBackupSuite(sizes ? { rows: sizes[0] } : {}), formatBackupSuite),
  capture: async () => shown(await runCaptureSuite(sizes ? { sessions: sizes[0] } : {}), formatCaptureSuite),
  code: async () => shown(await runCodeSuite(values.data ?? []), formatCodeSuite),
  context: async () => shown(await runContextSuite({ commits: values.commits ?? [] }), formatContextSuite),
  daemon: async () => shown(await runDaemonSuite(), formatDaemonSuite),
  diagnostics: async () =>
    shown(await runDiagnosticsSuite(sizes ? { rows: sizes[0] } : {}), formatDiagnosticsSuite),
  documents: async () =>
    shown(
      await runDocumentsSuite({
        ...(values.files && { files: Number(values.files) }),
        ...(values.resync && { resync: Number(values.resync) }),
        ...(sizes && { rows: sizes[0] as number }),
      }),
      formatDocumentsSuite,
    ),
  dreaming: async () =>
    shown(await runDreamingSuite(sizes ? { memories: sizes[0] } : {}), formatDreamingSuite),
  hooks: async () =>
    shown(await runHooksSuite(values.runs ? { runs: Number(values.runs) } : {}), formatHooksSuite),
  ontology: async () => ({
    figures: shown(await runOntologySuite(), formatSessionsSuite),
    recall: shown(await recallByGraph({ traversal: false }), turns =>
      formatRecallInTurns('claims and cards', turns),
    ),
    traversal: shown(await recallByGraph({ traversal: true }), turns =>
      formatRecallInTurns('links too', turns),
    ),
  }),
  logs: async () =>
    shown(await measureLogStream(values.seconds ? { seconds: Number(values.seconds) } : {}), formatLogStream),
  imports: async () =>
    shown(
      await runImportSuite(values.megabytes ? { megabytes: Number(values.megabytes) } : {}),
      formatImportSuite,
    ),
  knowledge: async () =>
    shown(await runKnowledgeSuite(values.data ?? [], { isVerbose: values.details }), formatKnowledgeSuite),
  languages: async () => shown(await runLanguagesSuite(), formatLanguagesSuite),
  search: async () => shown(await runItemsSuite(sizes ? { memories: sizes[0] } : {}), formatItemsSuite),
  longmemeval: async () =>
    shown(
      await runConversationSuite(
        { data: values.data ?? [], vectors: packagedModel(values.vectors) },
        console.error,
      ),
      formatConversationSuite,
    ),
  models: async () => shown(await runModelsSuite(), formatModelsSuite),
  repair: async () => shown(await runRepairSuite(sizes ? { rows: sizes[0] } : {}), formatRepairSuite),
  secrets: async () => shown(await runSecretsSuite(), formatSecretsSuite),
  sessions: async () => shown(await runSessionsSuite(), formatSessionsSuite),
  sources: async () =>
    shown(
      await runSourcesSuite({
        ...(values.files && { notes: Number(values.files) }),
        ...(sizes && { rows: sizes[0] as number }),
        ...(values.data && { vaults: values.data }),
      }),
      formatSourcesSuite,
    ),
  speed: async () =>
    shown(
      await runSpeedSuite({
        sizes,
        before: values.before,
        onSize: known => console.error(formatSpeedSuite(known)),
        ...(values.minutes && { quietMinutes: Number(values.minutes) }),
        ...(values.runs && { rounds: Number(values.runs) }),
      }),
      formatSpeedSuite,
    ),
  stores: async () => shown(await runStoresSuite({ sizes }), formatStoresSuite),
  team: async () => {
    const calls = values.runs ? Number(values.runs) : undefined
    return shown(await runTeamSuite({ rows: sizes?.[0], calls }), formatTeamSuite)
  },
  tasks: async () =>
    shown(await runTasksSuite(values.minutes ? { minutes: Number(values.minutes) } : {}), formatTasksSuite),
  telemetry: async () =>
    shown(
      await runTelemetrySuite({
        ...(sizes && { rows: sizes[0] as number }),
        ...(values.runs && { pairs: Number(values.runs) }),
      }),
      formatTelemetrySuite,
    ),
  writes: async () =>
    shown(
      await runWritesSuite({ rows: sizes?.[0], vectors: packagedModel(values.vectors) }),
      formatWritesSuite,
    ),
  'web-page': async () =>
    shown(await runWebPageSuite(sizes ? { rows: sizes[0] as number } : {}), formatWebPageSuite),
  threads: async () => shown(await runThreadsSuite(sizes), formatThreadsSuite),
  index: async () => shown(await runIndexSuite(sizes ? { sizes } : {}), formatIndexSuite),
  recall: async () => shown(await runRecallSuite(sizes ? { sizes } : {}), formatRecallSuite),
  quality: () =>
    measureQuality(
      { ...values, data: values.data ?? dataOfEnvironment(), vectors: packagedModel(values.vectors) },
      print,
    ),
}

if (values.help) print(help)
else await main()

/** Neither conversations of others nor a database server are part of this project. */
function needsNoData(name: string): boolean {
  return name === 'longmemeval' ? values.data !== undefined : !['stores', 'team'].includes(name)
}

/** @throws Error for another name than those of the packaged models */
function packagedModel(name: string | undefined): 'words' | 'sentences' | undefined {
  if (name === undefined || name === 'words' || name === 'sentences') return name
  throw new Error(`--vectors ${name} is not a packaged model: give words or sentences`)
}

async function main(): Promise<void> {
  const wanted = positionals.length > 0 ? positionals : Object.keys(suites).filter(needsNoData)
  const unknown = wanted.filter(name => !(name in suites))
  if (unknown.length > 0) {
    console.error(`Unknown suite ${unknown.join(', ')}\n\n${help}`)
    process.exitCode = 2
    return
  }
  const machine = {
    node: process.version,
    cpu: cpus()[0]?.model,
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
  }
  const results: Record<string, unknown> = { machine }
  for (const name of wanted) {
    print(`\n## ${name}\n`)
    results[name] = await suites[name]?.()
  }
  const folder = join(import.meta.dirname, 'results')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${wanted.join('-')}.json`)
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`)
  print(`\n${file}`)
}

/** Splits QUALITY_DATA like PATH. */
function dataOfEnvironment(): string[] {
  return (process.env.QUALITY_DATA ?? '').split(delimiter).filter(path => path !== '')
}

function shown<T>(result: T, format: (result: T) => string): T {
  print(format(result))
  return result
}
