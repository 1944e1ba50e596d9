/** Where secrets are kept: the store of the workspace, or a program that keeps passwords. Names are checked before. */
export interface SecretProvider {
  names(): Promise<string[]>
  /** Undefined when there is no such secret. */
  get(name: string): Promise<string | undefined>
  set(name: string, value: string): Promise<void>
  /** @returns false when there is no such secret. */
  remove(name: string): Promise<boolean>
}
