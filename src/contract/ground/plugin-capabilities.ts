/** Bundled plugins and the capabilities that each can be granted (plugins.md 1). */
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

/** Disabled by default; the others are enabled from the first start. */
export const disabledAtFirst: readonly string[] = ['service.codeindex']

export type BundledPlugin = keyof typeof bundledCapabilities

/** One capability of one plugin, as required by a plugin's route. */
export type PluginUse = {
  [I in BundledPlugin]: { id: I; capability: (typeof bundledCapabilities)[I][number] }
}[BundledPlugin]
