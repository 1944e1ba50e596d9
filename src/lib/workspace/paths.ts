/**
 * This folder, `src/lib`, is for code without product logic: time, concurrency, files, network, text,
 * threads and V8.
 *
 * `workspace/` is its one exception. It knows the files of a workspace (this file names them all), the
 * settings file, the registration of the daemon, and how passwords and tokens are hashed. It imports nothing
 * else of `src`, so everything may use it. It knows no endpoint, no table and no use case. The web page uses
 * the files of `src/lib` that need no Node.
 */

import { join, resolve, sep } from 'node:path'
import { homeFolder } from '../files/home-folder.js'

/** Every file and folder of a workspace (rules.md#process-and-files). All paths are absolute. */
export interface WorkspacePaths {
  root: string
  settings: string
  /** MEMORY.md: the rendered summary of everything. */
  summary: string
  /** IDENTITY.md: who the agent is. */
  identity: string
  memoryDir: string
  database: string
  daemonDir: string
  registration: string
  startLock: string
  instanceLock: string
  logsDir: string
  log: string
  launchLog: string
  models: string
  /** The native runtime of models, where one was installed. */
  runtime: string
  snapshot: string
  transcriptSnapshot: string
  /** Chunks of transcripts that memory is too small for, as the index searches them. */
  transcriptSegments: string
  artifactSnapshot: string
  authSecret: string
  /** Folder of the encrypted store of secrets. */
  secretsDir: string
  /** When secrets were used last, by name. */
  secretUses: string
  /** Which password managers are in use; their tokens are in the store. */
  secretProviders: string
  /** What hooks could not hand over while no daemon ran. */
  hookSpool: string
  /** Transcripts that were handed over and wait to be captured. */
  captures: string
  /** Snapshots of sources on their way in. */
  snapshots: string
  /** What is being sent to the daemon. */
  uploads: string
  /** Files of imports of transcripts, a folder for each import. */
  imports: string
  /** The day on which `memory recall` last told why it goes by words. */
  recallNote: string
  /** Anonymous events, one a line. */
  telemetryEvents: string
  /** There once it was said at a terminal where events stay. */
  telemetryTold: string
  /** What `memory connect` changed in the files of harnesses, and how they were before. */
  connections: string
  /** Installed skills, a folder each. */
  skills: string
  /** Where skills are before they are installed and after they are removed. */
  skillStaging: string
  /** Makes the files of harnesses anew; somebody else's program, if there is one. */
  harnessScript: string
  /** Programs that the daemon started, a file each by the number of their process. */
  children: string
  /** Manifests of plugins that did not come with the daemon, a folder each. */
  plugins: string
  /** Which plugins are enabled, and what they were granted. */
  pluginRegistry: string
  /** What happened to plugins, one event a line. */
  pluginAudit: string
  /** What is known of releases of this program. */
  updateRecord: string
  /** Where backups are made and checked. */
  backupWork: string
  /** What is to be taken into the workspace, and what was there before. */
  restore: string
}

/** @param workspace a folder, `~` and relative paths allowed; `SERVICE_WORKSPACE` or `~/.memory-service` when absent. */
export function workspacePaths(workspace?: string): WorkspacePaths {
  const root = resolve(expandHome(workspace || process.env.SERVICE_WORKSPACE || '~/.memory-service'))
  const memoryDir = below(root, 'memory')
  const daemonDir = below(root, '.daemon')
  const logsDir = below(daemonDir, 'logs')
  return {
    root,
    settings: below(root, 'agent.yaml'),
    summary: below(root, 'MEMORY.md'),
    identity: below(root, 'IDENTITY.md'),
    memoryDir,
    database: below(memoryDir, 'memories.db'),
    daemonDir,
    registration: below(daemonDir, 'daemon.json'),
    startLock: below(daemonDir, 'start.lock'),
    instanceLock: below(daemonDir, 'instance.lock'),
    logsDir,
    log: below(logsDir, 'daemon.log'),
    launchLog: below(logsDir, 'launch.log'),
    models: below(daemonDir, 'models'),
    runtime: below(daemonDir, 'runtime'),
    snapshot: below(daemonDir, 'index.snapshot'),
    transcriptSnapshot: below(daemonDir, 'transcripts.snapshot'),
    transcriptSegments: below(daemonDir, 'transcripts.segments'),
    artifactSnapshot: below(daemonDir, 'artifacts.snapshot'),
    authSecret: below(daemonDir, 'auth-secret'),
    secretsDir: below(root, '.secrets'),
    secretUses: below(daemonDir, 'secret-uses.json'),
    secretProviders: below(root, '.secrets', 'providers.json'),
    hookSpool: below(daemonDir, 'hook-spool'),
    captures: below(daemonDir, 'captures'),
    snapshots: below(daemonDir, 'source-snapshots'),
    uploads: below(daemonDir, 'uploads'),
    imports: below(daemonDir, 'imports'),
    recallNote: below(daemonDir, 'recall-note'),
    telemetryEvents: below(daemonDir, 'telemetry', 'events.jsonl'),
    telemetryTold: below(daemonDir, 'telemetry', 'told'),
    connections: below(daemonDir, 'connections'),
    skills: below(root, 'skills'),
    skillStaging: below(daemonDir, 'skill-staging'),
    harnessScript: below(root, 'scripts', 'generate-harness-configs.py'),
    children: below(daemonDir, 'children'),
    plugins: below(root, 'plugins'),
    pluginRegistry: below(daemonDir, 'plugins', 'registry.json'),
    pluginAudit: below(daemonDir, 'plugins', 'audit-v1.ndjson'),
    updateRecord: below(daemonDir, 'update.json'),
    backupWork: below(daemonDir, 'backup-work'),
    restore: below(daemonDir, 'restore'),
  }
}

/** `join` without looking at what is joined: its forty calls would be a part of what a hook takes. */
function below(folder: string, ...names: string[]): string {
  return `${folder.endsWith(sep) ? folder : folder + sep}${names.join(sep)}`
}

export function expandHome(path: string): string {
  if (path === '~') return homeFolder()
  return path.startsWith('~/') || path.startsWith('~\\') ? join(homeFolder(), path.slice(2)) : path
}
