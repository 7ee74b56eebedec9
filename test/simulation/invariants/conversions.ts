/** Coins and the ERC-20 tokens that they are converted to: what circulates in one form is locked in the other. */
import * as auth from '../../../src/modules/auth/keeper.ts'
import * as bank from '../../../src/modules/bank/keeper.ts'
import * as evm from '../../../src/modules/evm/keeper.ts'
import * as state from '../../../src/modules/evm/state.ts'
import { concat, decodeUint, encodeUint, equal, formatHex, padLeft, toKey } from '../../../src/primitives/bytes.ts'
import { EMPTY_CODE_HASH, keccak256 } from '../../../src/primitives/hash.ts'
import type { ReadContext } from '../../../src/sdk/context.ts'
import { WNATIVE } from '../world.ts'
import type { Invariant } from './invariant.ts'

/** Tokens whose balances match their storage. */
const HONEST = ['Honest', 'FeeOnTransfer', 'Reentrant', 'Slow']
/** Slots of the total supply in the contract of a coin, and of the balances in `hostile.sol` and in the wrapped coin. */
const COIN_SUPPLY_SLOT = 2n
const TOKEN_BALANCES_SLOT = 0n
const WRAPPED_BALANCES_SLOT = 3n

const slotOf = (ctx: ReadContext, contract: Uint8Array, slot: Uint8Array): bigint =>
  decodeUint(evm.storage(ctx, contract, slot))
const entryOf = (ctx: ReadContext, contract: Uint8Array, holder: Uint8Array, slot: bigint): bigint =>
  slotOf(ctx, contract, keccak256(concat(padLeft(holder, 32), encodeUint(slot, 32))))

export const conversionInvariants: readonly Invariant[] = [
  {
    name: 'the circulating amount of each converted coin is locked in its other form',
    broken({ ctx, tokens }) {
      const honest = new Set(tokens.filter(({ name }) => HONEST.includes(name)).map(({ address }) => toKey(address)))
      for (const [, { erc20Addr, bankDenom, isMadeFromCoin }] of state.funTokens.iterate(ctx)) {
        if (isMadeFromCoin) {
          const locked = bank.balance(ctx, state.evmAccount.address, bankDenom)
          const circulating = slotOf(ctx, erc20Addr, encodeUint(COIN_SUPPLY_SLOT, 32))
          if (locked !== circulating) return `${circulating} of ${bankDenom} are in the EVM, ${locked} are locked`
        } else if (honest.has(toKey(erc20Addr))) {
          const locked = entryOf(ctx, erc20Addr, state.evmAccount.address, TOKEN_BALANCES_SLOT)
          const supply = bank.supply(ctx, bankDenom)
          if (locked < supply) return `${supply} of ${bankDenom} are in the bank, ${locked} are locked`
        }
      }
      return undefined
    },
  },
  {
    name: 'the wrapped native coin is covered',
    every: 5,
    broken({ ctx }) {
      let wrapped = 0n
      for (const { address } of auth.accounts(ctx)) wrapped += entryOf(ctx, WNATIVE, address, WRAPPED_BALANCES_SLOT)
      const held = bank.balanceWei(ctx, WNATIVE)
      return held < wrapped ? `${wrapped} wei are wrapped, ${held} are held` : undefined
    },
  },
  {
    name: 'each contract has its code, and each mapping its indexes',
    every: 10,
    broken({ ctx }) {
      for (const [id, { erc20Addr, bankDenom }] of state.funTokens.iterate(ctx)) {
        if (!state.funTokensByErc20.has(ctx, [erc20Addr, id])) return `${bankDenom} is not found by its contract`
        if (!state.funTokensByDenom.has(ctx, [bankDenom, id])) return `${bankDenom} is not found by its denom`
      }
      for (const { address, codeHash } of auth.accounts(ctx)) {
        if (!equal(codeHash, EMPTY_CODE_HASH) && !evm.code(ctx, address)) {
          return `${formatHex(address)} has a code hash without code`
        }
      }
      return undefined
    },
  },
  {
    name: 'no block creates or loses wei',
    broken: ({ ctx }) => {
      const delta = state.netWeiDelta.get(ctx)
      return delta === undefined || delta === 0n ? undefined : `the blocks created ${delta} wei`
    },
  },
]
