/** What a real chain does differently from the API document or from our fixes of it (D30): one name each, off by default. */

interface Behaviour {
  /** What differs while it is on; what is written in `docs/profiles.md`. */
  readonly about: string
  /** Where the specifications say so. */
  readonly source: string
}

/** Every behaviour there is. A profile lists those that are on; code reads `ctx.identity.behaviours.NAME`. */
export const BEHAVIOURS = {
  exposeEthAccount: {
    about: 'auth queries show an EthAccount as it is stored, not as its base account',
    source: 'support-modules.md §5',
  },
  ownStoreOutsideAppHash: {
    about:
      'the store of our own records, `x`, takes no part in the app hash, so that the hash of the replayed chain comes out',
    source: 'D28, D29',
  },
  shanghaiRules: {
    about: 'a chain without `chain_config` runs under the EVM rules of Shanghai, not the newest',
    source: 'evm.md §3.2',
  },
  baseDenomWithoutMapping: {
    about: '`funtoken` of the base denom and of the wrapped native token is not found',
    source: 'D34',
  },
  bareEstimates: {
    about:
      'estimates of gas search between the gas used and the cap alone: no exact 21000 for a plain transfer, no first guess, ' +
      'no look at what the sender can pay',
    source: 'evm.md §2.9, D21',
  },
  bankPartNeedsMetadata: {
    about: '`balances` of a denom without bank metadata has no `bank` part',
    source: 'D35',
  },
} as const satisfies Record<string, Behaviour>

export type BehaviourName = keyof typeof BEHAVIOURS

/** Each behaviour with whether it is on. */
export type Behaviours = Readonly<Record<BehaviourName, boolean>>

const NAMES = Object.keys(BEHAVIOURS) as BehaviourName[]

export function isBehaviour(name: string): name is BehaviourName {
  return Object.hasOwn(BEHAVIOURS, name)
}

export function behavioursOf(on: readonly BehaviourName[]): Behaviours {
  return Object.fromEntries(NAMES.map((name) => [name, on.includes(name)])) as Behaviours
}
