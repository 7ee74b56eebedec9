/** The chain of the model: four validators, a few accounts, and blocks that few transactions fill. */
import { localnetGenesis } from '../../src/app/localnet.ts'
import type { GenesisDocument } from '../../src/app/types.ts'
import { almanac } from '../../src/identity/profiles/almanac.ts'
import { type Actor, actors, consensusKeys, operators } from '../simulation/actors.ts'
import { CHAIN_ID } from '../simulation/genesis.ts'

export const MAX_BYTES = 60_000
export const MAX_GAS = 1_500_000n
const FUNDS = 10n ** 12n

const of = (prefix: string, count: number): readonly Actor[] =>
  actors.filter(({ name, algorithm }) => name.startsWith('user') && algorithm === prefix).slice(0, count)

/** Accounts whose transactions are Ethereum's, and accounts whose are the chain's own. */
export const evmSenders: readonly Actor[] = of('eth_secp256k1', 3)
const sdkSenders: readonly Actor[] = of('secp256k1', 2)
export const senders: readonly Actor[] = [...evmSenders, ...sdkSenders]

const funded = [...operators, ...senders]

export const accountNumberOf = (actor: Actor): bigint => BigInt(funded.indexOf(actor))

const local = localnetGenesis({
  identity: almanac,
  chainId: CHAIN_ID,
  genesisTime: '2024-01-01T00:00:00Z',
  accounts: funded.map(({ address }) => ({ address, balanceUnative: FUNDS })),
  validators: operators.map((_, i) => ({ publicKey: consensusKeys[i]! })),
  blockGasLimit: MAX_GAS,
})

export const genesis: GenesisDocument = {
  ...local,
  consensus_params: {
    ...local.consensus_params,
    block: { max_bytes: String(MAX_BYTES), max_gas: MAX_GAS.toString() },
    evidence: { max_age_num_blocks: '100', max_age_duration: '172800000000000', max_bytes: '10000' },
  },
}
