/** Genesis of a simulated world: short periods, vesting accounts of every schedule, and contracts with random code. */
import { localnetGenesis } from '../../src/app/localnet.ts'
import type { GenesisDocument } from '../../src/app/types.ts'
import { almanac } from '../../src/identity/profiles/almanac.ts'
import { formatEip55 } from '../../src/primitives/address.ts'
import { formatHex0x } from '../../src/primitives/bytes.ts'
import { keccak256 } from '../../src/primitives/hash.ts'
import { programOf } from '../support/evm/programs.ts'
import { type Actor, actors, consensusKeys, operators, paupers, scheduleOf } from './actors.ts'

export const CHAIN_ID = 'almanac-localnet-1'
export const EVM_CHAIN_ID = 6930n
const GENESIS_TIME = '2024-01-01T00:00:00Z'
const GENESIS_SECONDS = 1_704_067_200n
const DAY = 86_400n
const FUNDS = 10n ** 14n
/** Coins of a vesting account that vest, in addition to a few free ones for fees. */
const VESTING = 4n * 10n ** 12n
const FREE = 10n ** 12n

type Sections = Record<string, Record<string, object>>

const coins = (amount: bigint) => [{ denom: almanac.baseDenom, amount: amount.toString() }]

function accountOf(actor: Actor, number: number): object {
  const base = { address: actor.text, pub_key: null, account_number: String(number), sequence: '0' }
  const kind = scheduleOf(actor)
  if (!kind) {
    const code_hash = formatHex0x(keccak256(new Uint8Array(0)))
    return { '@type': '/chain.types.v1.EthAccount', base_account: base, code_hash }
  }
  const part = { base_account: base, original_vesting: coins(VESTING), delegated_free: [], delegated_vesting: [] }
  const ends = (days: bigint) => ({ base_vesting_account: { ...part, end_time: String(GENESIS_SECONDS + days * DAY) } })
  const start_time = GENESIS_SECONDS.toString()
  const type = (name: string) => `/sdk.vesting.v1beta1.${name}VestingAccount`
  switch (kind) {
    case 'continuous':
      return { '@type': type('Continuous'), ...ends(60n), start_time }
    case 'delayed':
      return { '@type': type('Delayed'), ...ends(30n) }
    case 'periodic': {
      const vesting_periods = [10n, 20n, 30n, 40n].map((days) => ({
        length: (days * DAY).toString(),
        amount: coins(VESTING / 4n),
      }))
      return { '@type': type('Periodic'), ...ends(100n), start_time, vesting_periods }
    }
    case 'permanent':
      return {
        '@type': '/sdk.vesting.v1beta1.PermanentLockedAccount',
        base_vesting_account: { ...part, end_time: '0' },
      }
  }
}

/** Returns contracts with the random code of a seed, which call each other. */
function contractsOf(seed: number): object[] {
  return programOf(seed).contracts.map(({ address, code }) => ({
    address: formatEip55(address),
    code: formatHex0x(code),
    storage: [],
  }))
}

export function genesisOf(seed: number): GenesisDocument {
  const funded = actors.filter((actor) => !paupers.includes(actor))
  const balanceOf = (actor: Actor) => (scheduleOf(actor) ? VESTING + FREE : FUNDS)
  const local = localnetGenesis({
    identity: almanac,
    chainId: CHAIN_ID,
    genesisTime: GENESIS_TIME,
    accounts: funded.map((actor) => ({ address: actor.address, balanceUnative: balanceOf(actor) })),
    validators: operators.map((_, i) => ({ publicKey: consensusKeys[i]! })),
    votingPeriodMs: Number(DAY) * 1000,
  })
  const state = local.app_state as Sections
  const params = (name: string, more: object) => ({ ...state[name], params: { ...state[name]!['params'], ...more } })
  const { consensus_params } = local
  return {
    ...local,
    consensus_params: {
      ...consensus_params,
      evidence: { max_age_num_blocks: '100', max_age_duration: '172800000000000', max_bytes: '1048576' },
    },
    app_state: {
      ...state,
      auth: { ...state['auth'], accounts: funded.map(accountOf) },
      staking: params('staking', { unbonding_time: `${3n * DAY}s`, max_validators: 5, historical_entries: 20 }),
      slashing: params('slashing', { signed_blocks_window: '20', downtime_jail_duration: '600s' }),
      oracle: params('oracle', { vote_period: '2', slash_window: '40', whitelist: ['ubtc:uusd', 'ueth:uusd'] }),
      inflation: params('inflation', { inflation_enabled: true, has_inflation_started: true }),
      evm: {
        ...state['evm'],
        accounts: [...(state['evm']!['accounts'] as object[]), ...contractsOf(seed)],
      },
    },
  }
}
