/** Words of the command line that the descriptors do not give: what the chain's own tools are used to (devgas.md §5, tokenfactory.md §4.9). */

interface ShortNames {
  /** Another name of the module. */
  readonly module?: string
  /** Other names of its messages and operations, by the name that follows from the descriptor. */
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

/** Other names of a module; none for most. */
export function moduleAliases(module: string): readonly string[] {
  const alias = MODULES[module]?.module
  return alias ? [alias] : []
}

/** Other names of a message or an operation of a module; none for most. */
export function nameAliases(module: string, name: string): readonly string[] {
  const alias = MODULES[module]?.names?.[name]
  return alias ? [alias] : []
}

/** Whether a module's messages take their fields by place too: its own tools do. */
export function takesPlaces(module: string): boolean {
  return MODULES[module] !== undefined
}
