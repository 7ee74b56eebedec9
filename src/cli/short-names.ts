/**
 * Aliases of commands that do not follow from the descriptors: the names in the command line of the reference implementation.
 */

interface ShortNames {
  /** Alias of the module. */
  readonly module?: string
  /** Aliases of its messages and operations, by the name that follows from the descriptor. */
  readonly names?: Readonly<Record<string, string>>
}

const MODULES: Readonly<Record<string, ShortNames>> = {
  devgas: {
    names: {
      'register-fee-share': 'register',
      'update-fee-share': 'update',
      'cancel-fee-share': 'cancel',
      'fee-shares': 'contracts',
      'fee-share': 'contract',
      'fee-shares-by-withdrawer': 'withdrawer-contracts',
    },
  },
  tokenfactory: { module: 'tf' },
}

/** Returns the aliases of a module; empty for most. */
export function moduleAliases(module: string): readonly string[] {
  const alias = MODULES[module]?.module
  return alias ? [alias] : []
}

/** Returns the aliases of a message or an operation of a module; empty for most. */
export function nameAliases(module: string, name: string): readonly string[] {
  const alias = MODULES[module]?.names?.[name]
  return alias ? [alias] : []
}

/** Whether the fields of a module's messages can be positional arguments, as in the reference implementation. */
export function takesPositionalFields(module: string): boolean {
  return MODULES[module] !== undefined
}
