import type { Permission } from '../ground/endpoint.js'

export const roles = ['admin', 'operator', 'agent', 'readonly'] as const
export type Role = (typeof roles)[number]

const memoryPermissions = ['remember', 'recall', 'modify', 'forget', 'recover', 'documents'] as const
const operatorPermissions = [...memoryPermissions, 'connectors', 'diagnostics', 'analytics', 'relay'] as const

/** Permissions of each role (security.md 5.4). */
export const rolePermissions: Readonly<Record<Role, readonly Permission[]>> = {
  admin: [...operatorPermissions, 'admin'],
  operator: operatorPermissions,
  agent: memoryPermissions,
  readonly: ['recall'],
}

/** Default permissions of a connector's key (security.md 5.2). */
export const connectorPermissions: readonly Permission[] = ['recall', 'remember', 'documents']
