export function isAllowed(expression: string, options?: { dev?: boolean }): boolean
export function faultsOf(lock: { packages: Record<string, object> }): string[]
export function advisoriesOf(output: string): { faults: string[]; unanswered?: string }
