/** The application of tests and benchmarks, and chains of one validator on it. */
import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf'
import { almanac } from '../identity/profiles/almanac.ts'
import type { Identity } from '../identity/types.ts'
import { ofEd25519 } from '../primitives/address.ts'
import { utf8 } from '../primitives/bytes.ts'
import type { Coin } from '../primitives/coin.ts'
import { sha256 } from '../primitives/hash.ts'
import type { ReadContext } from '../sdk/context.ts'
import { publicKeyOf } from '../sdk/crypto.ts'
import { addressOf } from '../sdk/public-key.ts'
import { encodeSigned } from '../sdk/sign-tx.ts'
import { createEmptyBranch } from '../store/branch.ts'
import { createApplication } from './application.ts'
import { requireBlock } from './halt.ts'
import { localnetGenesis } from './localnet.ts'
import type { TxResult } from './records.ts'
import type { Application, BlockInput, BlockOutput, CheckResult, GenesisDocument } from './types.ts'

const CHAIN_ID = 'almanac-localnet-1'

/** Creates an application that throws unexpected failures of transactions. By default its chain is `almanac-localnet-1`, without a minimum gas price. */
export function testApplication(
  options: { readonly identity?: Identity; readonly chainId?: string; readonly minGasPrices?: string } = {},
): Application {
  const { identity = almanac, chainId = CHAIN_ID, minGasPrices = '' } = options
  return createApplication({
    identity,
    chainId,
    evmChainId: 6930n,
    settings: { minGasPrices },
    onBug(error) {
      throw error
    },
  })
}

const GENESIS_NS = 1_704_067_200_000_000_000n
const CONSENSUS_KEY = sha256(utf8('test validator'))
const BALANCE_UNATIVE = 10n ** 12n

/** A message of a transaction. */
export interface TestMessage {
  readonly schema: DescMessage
  readonly init: unknown
}

export function testMessage<Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>): TestMessage {
  return { schema, init }
}

interface TestChainOptions {
  readonly identity?: Identity
  /** Fields of genesis sections that replace those of a localnet: each function receives the section. */
  readonly sections?: Readonly<Record<string, (section: never) => object>>
  readonly accounts?: number
}

interface SentOptions {
  readonly fee?: readonly Coin[]
  readonly gasLimit?: bigint
  /** The account's present sequence by default. */
  readonly sequence?: bigint
}

/** A chain of one validator, whose operator is account 0, without a block gas limit. */
export interface TestChain {
  readonly app: Application
  readonly genesis: GenesisDocument
  /** Addresses of the accounts, each with 10^12 unative. */
  readonly accounts: readonly Uint8Array[]
  /** Consensus address of the validator. */
  readonly validator: Uint8Array
  readonly height: bigint
  read(): ReadContext
  /** Signs a transaction of an account. */
  sign(who: number, messages: readonly TestMessage[], options?: SentOptions): Uint8Array
  block(txs?: readonly Uint8Array[], part?: Partial<BlockInput>): BlockOutput
  /** Makes a block of one transaction of an account, and returns its result. */
  send(who: number, messages: readonly TestMessage[], options?: SentOptions): TxResult
  /** Runs admission on the state of the tip. */
  check(tx: Uint8Array): CheckResult
}

/** Starts a chain in memory. Blocks are a second apart, and the validator signs all of them. */
export function testChain({
  identity = almanac,
  sections = {},
  accounts: count = 2,
}: TestChainOptions = {}): TestChain {
  const app = testApplication({ identity })
  const keys = Array.from({ length: count }, (_, i) => sha256(utf8(`test account ${i}`)))
  const accounts = keys.map((key) => addressOf(identity, { kind: 'secp256k1', key: publicKeyOf(key) }))
  const local = localnetGenesis({
    identity,
    chainId: CHAIN_ID,
    genesisTime: '2024-01-01T00:00:00Z',
    accounts: accounts.map((address) => ({ address, balanceUnative: BALANCE_UNATIVE })),
    validators: [{ publicKey: CONSENSUS_KEY }],
    blockGasLimit: 0n,
  })
  const changed = Object.entries(sections).map(([name, change]) => {
    const section = (local.app_state[name] ?? {}) as object
    return [name, { ...section, ...change(section as never) }] as const
  })
  const genesis = { ...local, app_state: { ...local.app_state, ...Object.fromEntries(changed) } }
  const branch = createEmptyBranch()
  app.initChain(genesis, branch)
  const validator = ofEd25519(CONSENSUS_KEY)
  const sequences = keys.map(() => 0n)
  let height = 0n
  const header = () => ({
    height,
    timeNs: GENESIS_NS + height * 1_000_000_000n,
    proposer: validator,
    hash: sha256(utf8(`block ${height}`)),
    lastCommitHash: new Uint8Array(32),
  })
  const chain: TestChain = {
    app,
    genesis,
    accounts,
    validator,
    get height() {
      return height
    },
    read: () => app.readContext(branch, header()),
    sign(
      who,
      messages,
      { fee = [{ denom: identity.baseDenom, amount: 1000n }], gasLimit = 10n ** 9n, sequence = sequences[who]! } = {},
    ) {
      return encodeSigned(
        {
          identity,
          messages: messages.map(({ schema, init }) => ({ schema, message: create(schema, init as never) })),
          memo: '',
          timeoutHeight: 0n,
          key: { algorithm: 'secp256k1', publicKey: publicKeyOf(keys[who]!) },
          chainId: CHAIN_ID,
          accountNumber: BigInt(who),
          sequence,
        },
        { gasLimit, amount: fee },
        keys[who]!,
      )
    },
    block(txs = [], part = {}) {
      height++
      const lastCommitVotes = height > 1n ? [{ validator, power: 1000n, signed: true }] : []
      const output = requireBlock(
        app.executeBlock(branch, { ...header(), txs, lastCommitVotes, evidence: [], ...part }),
      )
      for (const { store, key, value } of output.branch.changes()) {
        if (value === undefined) branch.delete(store, key)
        else branch.set(store, key, value)
      }
      return output
    },
    send(who, messages, options) {
      const [result] = chain.block([chain.sign(who, messages, options)]).results
      // Admission, whose writes remain, emits events.
      if (result!.events.length > 0) sequences[who]!++
      return result!
    },
    check(tx) {
      app.resetCheckState(branch, { height, timeNs: header().timeNs })
      return app.check(tx, 'check')
    },
  }
  return chain
}
