import { carryOutConnect, carryOutDisconnect } from './carry-out.js'
import { type ConnectResult, confirmAndApplyPlans, isSameChange } from './confirm-and-apply-plans.js'
import { statesText } from './connection-text.js'
import type { Harness, Scope } from './entries/harness.js'
import { harnesses } from './harnesses.js'
import {
  type ConnectOptions,
  type DaemonAddress,
  type Plan,
  type PlanContext,
  planConnect,
  planDisconnect,
} from './plan.js'
import { planContext, portHints, requireFixedPort, thisMachine } from './plan-context.js'
import { stateOf } from './state.js'

interface ConnectFlags {
  targets: readonly Harness[]
  flags: { yes: boolean; 'dry-run': boolean }
  isJson: boolean
}

/**
 * Returns the operations of the connect commands for one workspace. @throws ClientError or CliError for
 * invalid settings.
 */
export async function connector(workspace: string | undefined) {
  const machine = thisMachine(workspace)
  const context = await planContext(machine)
  const states = (scope: Scope) => harnesses.map(harness => stateOf(context, harness, scope))
  return {
    machine,
    states,
    statesText,
    /** Returns harnesses that have a record or any entry of ours. */
    connected: (scope: Scope) =>
      harnesses.filter((_, position) => {
        const { state, record } = states(scope)[position]!
        return record !== undefined || state === 'connected' || state === 'outdated'
      }),
    connect({ options, ...asked }: ConnectFlags & { options: ConnectOptions }): Promise<ConnectResult> {
      if (options.transport === 'http') requireFixedPort(context.address)
      return confirmAndApplyPlans({
        ...asked,
        machine,
        verb: 'connect',
        plan: harness => planConnect(context, harness, options),
        offer: options.allowTools === undefined ? toolsOffer(context, options) : undefined,
        carryOut: plan => {
          if (plan.changes.length > 0) carryOutConnect(machine, plan, new Date().toISOString())
        },
        hints: plan => [
          ...(options.transport === 'http' ? portHints(context.address) : []),
          ...keyHints(context.address, machine.env.SERVICE_DAEMON_URL),
          ...projectHints(plan, () => stateOf(context, plan.harness, 'user').state === 'connected'),
        ],
      })
    },
    disconnect({
      options,
      ...asked
    }: ConnectFlags & { options: Pick<ConnectOptions, 'scope' | 'forgetTrust'> }): Promise<ConnectResult> {
      const thorough = (harness: Harness) =>
        planDisconnect(context, harness, { ...options, forgetTrust: options.forgetTrust ?? true })
      return confirmAndApplyPlans({
        ...asked,
        machine,
        verb: 'disconnect',
        plan: harness => planDisconnect(context, harness, options),
        offer: {
          question: titles => `Also remove your trust in our hooks from ${titles}?`,
          plan: thorough,
        },
        carryOut: plan => carryOutDisconnect(machine, plan),
        hints: plan => (isSameChange(plan, thorough(plan.harness)) ? [] : [trustHint(plan.harness)]),
      })
    },
  }
}

function trustHint({ name }: Harness): string {
  return `your trust in our hooks stays in its settings. To remove it: memory disconnect ${name} --forget-trust`
}

/** Harnesses that ask before each tool offer no tools when they cannot ask. */
function toolsOffer(context: PlanContext, options: ConnectOptions) {
  return {
    question: (titles: string) => `Let ${titles} use the memory tools without asking each time?`,
    plan: (harness: Harness) =>
      planConnect(context, harness, harness.asksForTools ? { ...options, allowTools: true } : options),
  }
}

/** Lists what the harness needs in its own environment, since keys are never written to settings files. */
function keyHints({ needsKey }: DaemonAddress, url: string | undefined): string[] {
  return [
    ...(url ? [`start it with SERVICE_DAEMON_URL=${url}`] : []),
    ...(needsKey ? ['if the daemon requires a key, start it with SERVICE_API_KEY'] : []),
  ]
}

/** Explains the effect of project files on other people, and on the user's own connection. */
function projectHints({ harness, options, program }: Plan, isUserConnected: () => boolean): string[] {
  if (options.scope === 'user') return []
  return [
    ...(program.memory.length > 1 || program.mcp.includes('--workspace')
      ? ['do not commit the entries: they contain paths of this machine']
      : []),
    // Claude Code runs identical commands from several files only once.
    ...(harness.name !== 'claude-code' && isUserConnected()
      ? ['it is also connected for your user, so hooks run twice here; disconnect one of them']
      : []),
  ]
}
