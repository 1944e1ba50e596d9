/** Plugins whose code comes with the daemon, and what each of them may do where it is granted (plugins.md 1). */
export const bundledCapabilities = {
  'service.secrets': [
    'secrets:list',
    'secrets:write',
    'secrets:delete',
    'secrets:exec',
    'secrets:providers',
    'secrets:store',
    'prompt:contribute',
    'mcp:tools',
    'cli:commands',
  ],
  'service.codeindex': ['code:read', 'code:write', 'mcp:tools', 'cli:commands'],
} as const

/** Off until somebody enables them; the others are on from the first start. */
export const disabledAtFirst: readonly string[] = ['service.codeindex']

export type BundledPlugin = keyof typeof bundledCapabilities

/** One capability of one plugin: what a route of a plugin asks for. */
export type PluginUse = {
  [I in BundledPlugin]: { id: I; capability: (typeof bundledCapabilities)[I][number] }
}[BundledPlugin]
