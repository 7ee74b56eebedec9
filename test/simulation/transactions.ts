/** Transactions: wishes signed by actors, and the damage that plans do to them. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { wrapEthereumTx } from '../../src/app/evm/envelope.ts'
import { transactionHash } from '../../src/evm/transaction/encode.ts'
import { signTransaction } from '../../src/evm/transaction/sender.ts'
import type { Authorization, UnsignedTransaction } from '../../src/evm/transaction/types.ts'
import { TxRawSchema } from '../../src/gen/sdk/tx/v1beta1/tx_pb.ts'
import { almanac } from '../../src/identity/profiles/almanac.ts'
import type { Identity } from '../../src/identity/types.ts'
import { BASE_FEE_WEI } from '../../src/modules/evm/wei.ts'
import { encodeSigned, type PlannedMessage } from '../../src/sdk/sign-tx.ts'
import type { Actor } from './actors.ts'
import { CHAIN_ID, EVM_CHAIN_ID } from './genesis.ts'
import { NATIVE } from './messages.ts'

/** Messages of the chain that their signer wants to send. */
export interface MessageWish {
  readonly kind: 'messages'
  readonly signer: Actor
  readonly messages: readonly PlannedMessage[]
  readonly gas?: bigint
  readonly granter?: Actor
}

/** A call or creation that its signer wants to send. */
export interface EvmWish {
  readonly kind: 'evm'
  readonly signer: Actor
  /** Undefined for a creation. */
  readonly to: Uint8Array | undefined
  readonly valueWei: bigint
  readonly data: Uint8Array
  readonly gas: bigint
  readonly type?: UnsignedTransaction['type']
  readonly authorizations?: readonly Authorization[]
  /** Name of the token that a creation deploys. */
  readonly token?: string
}

export type Wish = MessageWish | EvmWish

/** Sequence and number of a signer in the block being planned. */
export interface SignerState {
  readonly number: bigint
  readonly sequence: bigint
}

/** A signed transaction, with the most that its signature permits to take from the signer. */
export interface SignedTx {
  readonly bytes: Uint8Array
  /** Highest fee that the signer accepted. Unit: wei. */
  readonly feeWei: bigint
}

/** Kinds of damage. */
export const SPOILS = [
  'whole',
  'future sequence',
  'past sequence',
  'little gas',
  'a flipped byte',
  'cut short',
  'fee in another denom',
  'no fee',
  'fee cap below the base fee',
  'signed for another chain',
  'unbounded fee',
  'an unknown field',
  'sent twice',
] as const
type Spoil = (typeof SPOILS)[number]

/** Whether a transaction with this damage uses up its sequence, as far as its fee is paid. */
export function usesSequence(spoil: number): boolean {
  return ['whole', 'little gas', 'no fee', 'sent twice'].includes(SPOILS[spoil % SPOILS.length]!)
}

const GAS = 600_000n
const WEI_PER_UNIT = 10n ** 12n
const GAS_PRICE_WEI = 2n * BASE_FEE_WEI

function signMessages({ signer, messages, gas = GAS, granter }: MessageWish, at: SignerState, spoil: Spoil): SignedTx {
  const { algorithm, publicKey, privateKey } = signer
  const gasLimit = spoil === 'little gas' ? gas / 12n : gas
  const amount = spoil === 'no fee' ? 0n : spoil === 'unbounded fee' ? 10n ** 30n : gasLimit / 40n
  const denom = spoil === 'fee in another denom' ? 'uother' : NATIVE
  const bytes = encodeSigned(
    {
      identity: almanac,
      messages,
      memo: '',
      timeoutHeight: 0n,
      key: { algorithm, publicKey },
      chainId: spoil === 'signed for another chain' ? 'another-1' : CHAIN_ID,
      accountNumber: at.number,
      sequence: at.sequence,
    },
    { gasLimit, amount: amount === 0n ? [] : [{ denom, amount }], ...(granter && { granter: granter.text }) },
    privateKey,
  )
  return { bytes, feeWei: denom === NATIVE ? amount * WEI_PER_UNIT : 0n }
}

function unsigned(wish: EvmWish, at: SignerState, spoil: Spoil): UnsignedTransaction {
  const { to, valueWei, data, authorizations = [] } = wish
  const gasLimit = spoil === 'little gas' ? wish.gas / 12n : wish.gas
  const price = spoil === 'no fee' ? 0n : spoil === 'fee cap below the base fee' ? BASE_FEE_WEI / 50n : GAS_PRICE_WEI
  const cap = spoil === 'unbounded fee' ? 10n ** 40n : price
  const chainId = spoil === 'signed for another chain' ? 1n : EVM_CHAIN_ID
  const common = { nonce: at.sequence, gasLimit, to, valueWei, data, chainId }
  const { type = wish.signer.index % 3 } = wish
  const fees = { maxFeePerGasWei: cap, maxPriorityFeePerGasWei: 0n, accessList: [] }
  switch (type) {
    case 0:
      return { ...common, type: 0, gasPriceWei: cap }
    case 1:
      return { ...common, type: 1, gasPriceWei: cap, accessList: [] }
    case 4:
      return { ...common, ...fees, type: 4, authorizations }
    default:
      return { ...common, ...fees, type: 2 }
  }
}

function signEvm(identity: Identity, wish: EvmWish, at: SignerState, spoil: Spoil): SignedTx {
  const signed = signTransaction(unsigned(wish, at, spoil), wish.signer.privateKey)
  const wrapped = wrapEthereumTx(identity, signed, transactionHash(signed))
  const cap =
    signed.type < 2
      ? (signed as { gasPriceWei: bigint }).gasPriceWei
      : (signed as { maxFeePerGasWei: bigint }).maxFeePerGasWei
  // A copy: the wrapper remembers the parts of the bytes it made, and a block from elsewhere has no such memory.
  return { bytes: wrapped.slice(), feeWei: cap * signed.gasLimit }
}

/** Returns the bytes with a field number that no message of a transaction has, after the signed parts. */
function withUnknownField(bytes: Uint8Array): Uint8Array {
  const raw = fromBinary(TxRawSchema, bytes)
  const bodyBytes = new Uint8Array([...raw.bodyBytes, 0xc2, 0x3e, 0x01, 0x00])
  return toBinary(TxRawSchema, create(TxRawSchema, { ...raw, bodyBytes }))
}

function damaged(bytes: Uint8Array, spoil: Spoil, number: number): Uint8Array {
  switch (spoil) {
    case 'a flipped byte':
      return bytes.with(number % bytes.length, bytes[number % bytes.length]! ^ (1 << (number % 8)))
    case 'cut short':
      return bytes.slice(0, number % bytes.length)
    case 'an unknown field':
      return withUnknownField(bytes)
    default:
      return bytes
  }
}

/** Signs a wish for a chain of a profile. `spoil` is an index into `SPOILS`, and `number` selects the place of the damage. */
export function signWish(
  identity: Identity,
  wish: Wish,
  state: SignerState,
  spoil: number,
  number: number,
): readonly SignedTx[] {
  const name = SPOILS[spoil % SPOILS.length]!
  const shift = name === 'future sequence' ? 1n : name === 'past sequence' && state.sequence > 0n ? -1n : 0n
  const at = { ...state, sequence: state.sequence + shift }
  const signed = wish.kind === 'evm' ? signEvm(identity, wish, at, name) : signMessages(wish, at, name)
  const one = { ...signed, bytes: damaged(signed.bytes, name, number) }
  return name === 'sent twice' ? [one, one] : [one]
}
