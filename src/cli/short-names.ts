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
  auth: { names: { 'account-info': 'info', 'module-account-by-name': 'module-account' } },
  bank: { names: { 'all-balances': 'balances', 'spendable-balances': 'spendable', 'total-supply': 'total' } },
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
  distribution: {
    names: {
      'set-withdraw-address': 'set-withdraw-addr',
      'validator-commission': 'commission',
      'validator-slashes': 'slashes',
    },
  },
  evm: { names: { 'create-fun-token': 'create-funtoken', 'fun-token-mapping': 'funtoken' } },
  inflation: {
    names: { 'toggle-inflation': 'toggle', 'edit-inflation-params': 'edit-params', 'skipped-epochs': 'skipped' },
  },
  oracle: {
    names: {
      'aggregate-exchange-rate-vote': 'aggregate-vote',
      'delegate-feed-consent': 'set-feeder',
      'feeder-delegation': 'feeder',
      'miss-counter': 'miss',
      'pair-candidates': 'vote-targets',
    },
  },
  staking: {
    names: {
      undelegate: 'unbond',
      'begin-redelegate': 'redelegate',
      'cancel-unbonding-delegation': 'cancel-unbond',
      'delegator-delegations': 'delegations',
      'delegator-unbonding-delegations': 'unbonding-delegations',
      'validator-delegations': 'delegations-to',
      'validator-unbonding-delegations': 'unbonding-delegations-from',
    },
  },
  sudo: { names: { 'query-sudoers': 'state' } },
  tokenfactory: { module: 'tf' },
}

/** Messages whose signer is the first argument in the command line of the reference implementation. */
const SIGNED_FIRST = new Set(['sdk.bank.v1beta1.MsgSend'])

/** Whether the signer can be the first argument of a message, in place of `--from`. */
export function signsFirst(typeName: string): boolean {
  return SIGNED_FIRST.has(typeName)
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
