/** A chain in memory for attacks on the state machine: real bytes, real admission, real blocks. */
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { wrapEthereumTx } from '../../src/app/evm/envelope.ts'
import { requireBlock } from '../../src/app/halt.ts'
import { localnetGenesis } from '../../src/app/localnet.ts'
import { testApplication } from '../../src/app/testing.ts'
import type { BlockOutput, CheckMode, GenesisDocument } from '../../src/app/types.ts'
import { encodeTransaction } from '../../src/evm/transaction/encode.ts'
import { addressOfPrivateKey, signTransaction } from '../../src/evm/transaction/sender.ts'
import type { UnsignedTransaction } from '../../src/evm/transaction/types.ts'
import { AuthInfoSchema, TxBodySchema, TxRawSchema } from '../../src/gen/sdk/tx/v1beta1/tx_pb.ts'
import { almanac } from '../../src/identity/profiles/almanac.ts'
import type { Identity } from '../../src/identity/types.ts'
import { formatBech32, ofEd25519 } from '../../src/primitives/address.ts'
import { EMPTY, formatHex, utf8 } from '../../src/primitives/bytes.ts'
import { keccak256, sha256 } from '../../src/primitives/hash.ts'
import { publicKeyOf } from '../../src/sdk/crypto.ts'
import { encodeSigned } from '../../src/sdk/sign-tx.ts'
import { createEmptyBranch } from '../../src/store/branch.ts'

export const CHAIN_ID = 'almanac-localnet-1'
const EVM_CHAIN_ID = 6930n
export const UNIT_WEI = 10n ** 12n
const GENESIS_NS = 1_704_067_200_000_000_000n
const VALIDATOR_KEY = sha256(utf8('findings validator'))

/** A user with one Ethereum key for both kinds of transactions. The first one operates the validator. */
interface User {
  readonly key: Uint8Array
  readonly address: Uint8Array
  readonly text: string
  readonly number: bigint
}

export const users: readonly User[] = [0, 1, 2].map((index) => {
  const key = sha256(utf8(`findings user ${index}`))
  const address = addressOfPrivateKey(key)
  return { key, address, text: formatBech32('chain', address), number: BigInt(index) }
})

export const FUNDS = 1_000_000_000_000n

/** One message of a transaction, before it is encoded. */
interface Planned {
  readonly schema: DescMessage
  readonly init: object
}

export const message = <Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>): Planned => ({
  schema,
  init: init as object,
})

/** Encodes a transaction of messages, signed by one user. */
export function signed(
  user: User,
  messages: readonly Planned[],
  { sequence = 0n, gasLimit = 5_000_000n, feeUnits = 5_000_000n } = {},
): Uint8Array {
  const plan = {
    identity: almanac,
    messages: messages.map(({ schema, init }) => ({ schema, message: create(schema, init as never) })),
    memo: '',
    timeoutHeight: 0n,
    key: { algorithm: 'eth_secp256k1', publicKey: publicKeyOf(user.key) },
    chainId: CHAIN_ID,
    accountNumber: user.number,
    sequence,
  } as const
  return encodeSigned(plan, { gasLimit, amount: [{ denom: 'unative', amount: feeUnits }] }, user.key)
}

/** Signs an Ethereum transaction: a call without data at the base fee, unless the fields say otherwise. */
export function signedEvm(user: User, fields: Partial<UnsignedTransaction>) {
  return signTransaction(
    {
      type: 0,
      chainId: EVM_CHAIN_ID,
      nonce: 0n,
      gasPriceWei: UNIT_WEI,
      gasLimit: 1_000_000n,
      to: undefined,
      valueWei: 0n,
      data: EMPTY,
      ...fields,
    } as UnsignedTransaction,
    user.key,
  )
}

/** Returns the chain's transaction around an Ethereum one, as bytes that are not known from their making. */
export function wrapped(user: User, fields: Partial<UnsignedTransaction>): Uint8Array {
  const tx = signedEvm(user, fields)
  return wrapEthereumTx(almanac, tx, keccak256(encodeTransaction(tx))).slice()
}

/** Encodes a transaction from its parts, with these signatures. */
export function assembled(
  body: MessageInitShape<typeof TxBodySchema>,
  authInfo: MessageInitShape<typeof AuthInfoSchema>,
  signatures: readonly Uint8Array[] = [],
): Uint8Array {
  return toBinary(
    TxRawSchema,
    create(TxRawSchema, {
      bodyBytes: toBinary(TxBodySchema, create(TxBodySchema, body)),
      authInfoBytes: toBinary(AuthInfoSchema, create(AuthInfoSchema, authInfo)),
      signatures: [...signatures],
    }),
  )
}

interface ChainOptions {
  /** Changes the genesis document. */
  readonly edit?: (genesis: GenesisDocument) => GenesisDocument
  /** Name of the hard fork; the newest by default. */
  readonly fork?: string
  readonly identity?: Identity
}

/** Starts a chain of one validator. Unexpected failures of transactions are thrown. */
export function startChain({ edit = (genesis) => genesis, fork, identity = almanac }: ChainOptions = {}) {
  const app = testApplication({ identity })
  const state = createEmptyBranch()
  const genesis = localnetGenesis({
    identity,
    chainId: CHAIN_ID,
    genesisTime: '2024-01-01T00:00:00Z',
    accounts: users.map(({ address }) => ({ address, balanceUnative: FUNDS })),
    validators: [{ publicKey: VALIDATOR_KEY }],
    ...(fork && { fork }),
  })
  const origin = edit(genesis)
  app.initChain(origin, state)
  let height = 0n
  const header = () => ({
    height,
    timeNs: GENESIS_NS + height * 1_000_000_000n,
    proposer: ofEd25519(VALIDATOR_KEY),
    hash: sha256(utf8(`block ${height}`)),
    lastCommitHash: sha256(utf8(`commit ${height}`)),
  })
  app.resetCheckState(state, header())
  const execute = (txs: readonly Uint8Array[]): BlockOutput => {
    const validator = ofEd25519(VALIDATOR_KEY)
    const lastCommitVotes = height > 1n ? [{ validator, power: 1000n, signed: true }] : []
    return requireBlock(app.executeBlock(state, { ...header(), txs, lastCommitVotes, evidence: [] }))
  }
  return {
    app,
    /** Makes a block and keeps its writes. */
    block(...txs: readonly Uint8Array[]): BlockOutput {
      height++
      const output = execute(txs)
      for (const { store, key, value } of output.branch.changes()) {
        if (value === undefined) state.delete(store, key)
        else state.set(store, key, value)
      }
      app.resetCheckState(state, header())
      return output
    },
    check: (tx: Uint8Array, mode: CheckMode = 'check') => app.check(tx, mode),
    read: () => app.readContext(state, header()),
    exported: () => app.exportGenesis(app.readContext(state, header()), origin),
  }
}

export type Chain = ReturnType<typeof startChain>

/** Returns the whole outcome of a block as text: its results and its writes. */
export function outcomeOf({ results, branch }: BlockOutput): string {
  const shown = (_key: string, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value instanceof Uint8Array ? formatHex(value) : value
  return JSON.stringify([results, [...branch.changes()]], shown)
}
