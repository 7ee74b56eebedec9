/** The transactions of the model. They are signed once for all seeds, and received as bytes that no process has seen. */
import { MsgSendSchema } from '../../src/gen/sdk/bank/v1beta1/tx_pb.ts'
import { MsgDelegateSchema } from '../../src/gen/sdk/staking/v1beta1/tx_pb.ts'
import { almanac } from '../../src/identity/profiles/almanac.ts'
import { formatBech32 } from '../../src/primitives/address.ts'
import { utf8 } from '../../src/primitives/bytes.ts'
import { sha256 } from '../../src/primitives/hash.ts'
import { type Actor, operators } from '../simulation/actors.ts'
import { coin, message } from '../simulation/messages.ts'
import { SPOILS, signWish, type Wish } from '../simulation/transactions.ts'
import { accountNumberOf, evmSenders } from './genesis.ts'

/**
 * `send` pays a sink; `delegate` changes the power of a validator; `poor` spends more than there is; `foreign` is signed for
 * another chain; `little` has too little gas; `large` fills most of a block.
 */
export const KINDS = ['send', 'delegate', 'poor', 'foreign', 'little', 'large'] as const
export type Kind = (typeof KINDS)[number]

export interface PlannedTx {
  readonly sender: Actor
  readonly nonce: bigint
  readonly kind: Kind
  readonly bytes: Uint8Array
  /** Paid to the sender's sink if the transaction succeeds. Unit: unative. */
  readonly amount: bigint
}

const GAS = 250_000n
const LARGE_GAS = 700_000n
const LARGE_BYTES = 40_000
const WEI_PER_UNATIVE = 10n ** 12n
const TOO_MUCH = 10n ** 15n

/** Returns the account that receives what a sender sends. */
export const sinkOf = (sender: Actor): Uint8Array => sha256(utf8(`sink of ${sender.index}`)).slice(0, 20)

/** Returns an amount that no other nonce of the sender has. Unit: unative. */
const amountOf = (nonce: bigint): bigint => 1000n + nonce

function wishOf(sender: Actor, nonce: bigint, kind: Kind): Wish {
  const amount = kind === 'poor' ? TOO_MUCH : amountOf(nonce)
  if (evmSenders.includes(sender)) {
    const data = new Uint8Array(kind === 'large' ? LARGE_BYTES : 0)
    const gas = kind === 'large' ? LARGE_GAS : GAS
    return { kind: 'evm', signer: sender, to: sinkOf(sender), valueWei: amount * WEI_PER_UNATIVE, data, gas }
  }
  const delegates = kind === 'delegate'
  const operator = operators[Number(nonce) % operators.length]!
  const planned = delegates
    ? message(MsgDelegateSchema, {
        delegatorAddress: sender.text,
        validatorAddress: operator.operator,
        amount: coin(1_000_000n),
      })
    : message(MsgSendSchema, {
        fromAddress: sender.text,
        toAddress: formatBech32(almanac.bech32.account, sinkOf(sender)),
        amount: [coin(amount)],
      })
  return { kind: 'messages', signer: sender, messages: [planned], gas: kind === 'little' ? GAS / 3n : GAS }
}

const SPOIL_OF: Partial<Record<Kind, (typeof SPOILS)[number]>> = {
  foreign: 'signed for another chain',
  little: 'little gas',
}

const signed = new Map<string, PlannedTx>()

/** Returns a transaction. The same one is the same bytes. */
export function txOf(sender: Actor, nonce: bigint, kind: Kind): PlannedTx {
  const key = `${sender.index} ${nonce} ${kind}`
  let found = signed.get(key)
  if (!found) {
    const state = { number: accountNumberOf(sender), sequence: nonce }
    const spoil = SPOILS.indexOf(SPOIL_OF[kind] ?? 'whole')
    const [one] = signWish(almanac, wishOf(sender, nonce, kind), state, spoil, 0)
    const pays = kind !== 'delegate' || evmSenders.includes(sender)
    found = { sender, nonce, kind, bytes: one!.bytes, amount: pays ? amountOf(nonce) : 0n }
    signed.set(key, found)
  }
  return found
}
