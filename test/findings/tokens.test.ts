/** Published attacks with tokens that do not behave, on conversions there and back: see docs/security-findings.md. */
import { expect, test } from 'vitest'
import * as bech32 from '../../src/identity/address.ts'
import * as bank from '../../src/modules/bank/keeper.ts'
import { encodeArguments, encodeCall } from '../../src/modules/evm/calls/abi.ts'
import { createMessageCalls } from '../../src/modules/evm/calls/message-calls.ts'
import { createEvmState } from '../../src/modules/evm/evm-state.ts'
import { balanceOf } from '../../src/modules/evm/funtoken/erc20-calls.ts'
import { messages } from '../../src/modules/evm/messages.ts'
import { evmAccount } from '../../src/modules/evm/state.ts'
import { formatEip55 } from '../../src/primitives/address.ts'
import { encodeUint } from '../../src/primitives/bytes.ts'
import { keccak256 } from '../../src/primitives/hash.ts'
import { compile } from '../support/funtoken/contracts.ts'
import { createWorld, denomOf, transact } from '../support/funtoken/simulation.ts'

const code = compile()

/** Converts tokens of the first user to coins of the second, who can convert them back. */
function conversions(name: string) {
  const { ctx, users, tokens } = createWorld(code)
  const [alice, bob] = users as [Uint8Array, Uint8Array]
  const token = tokens.get(name)!
  const denom = denomOf(token)
  const heldBy = (who: Uint8Array) => balanceOf(createMessageCalls(ctx), token, who)
  return {
    ctx,
    token,
    alice,
    bob,
    locked: () => heldBy(evmAccount.address),
    tokensOf: heldBy,
    coins: () => bank.balance(ctx, bob, denom),
    supply: () => bank.supply(ctx, denom),
    there(amount: string) {
      const sender = bech32.format(ctx, alice)
      messages.convertEvmToCoin(ctx, { sender, erc20Addr: token, amount, toAddr: formatEip55(bob) })
    },
    back(amount: string) {
      const sender = bech32.format(ctx, bob)
      const branch = ctx.branch()
      messages.convertCoinToEvm(branch, { sender, bankCoin: { denom, amount }, toEthAddr: bob })
      branch.merge()
    },
  }
}

test('a fee on transfer is paid by the holder each way, and leaves no coin without a token behind it', () => {
  const { there, back, coins, supply, locked, tokensOf, bob } = conversions('FeeOnTransfer')
  const before = tokensOf(bob)
  there('1000')
  expect([coins(), supply(), locked()]).toEqual([900n, 900n, 900n])
  back('400')
  expect([coins(), supply(), locked(), tokensOf(bob) - before]).toEqual([500n, 500n, 500n, 360n])
  back('500')
  expect([coins(), supply(), locked(), tokensOf(bob) - before]).toEqual([0n, 0n, 0n, 810n])
})

test('a token whose balances shrink pays back what is left, and a conversion beyond it changes nothing', () => {
  const { ctx, token, there, back, coins, supply, locked } = conversions('Honest')
  there('1000')
  // Slot 0 is the mapping of balances: the module's falls to 300, as after a rebase.
  const slot = keccak256(encodeArguments('address,uint256', [evmAccount.address, 0n]))
  const view = createEvmState(ctx)
  view.setStorage(token, slot, encodeUint(300n, 32))
  view.settle()
  expect(locked()).toBe(300n)
  expect(() => back('301')).toThrow('too little')
  expect([coins(), supply(), locked()]).toEqual([1000n, 1000n, 300n])
  back('300')
  expect([coins(), supply(), locked()]).toEqual([700n, 700n, 0n])
})

test('a token whose balances grow gives no coins for the growth', () => {
  const { ctx, token, alice, there, back, coins, supply, locked } = conversions('Honest')
  there('1000')
  expect(transact(ctx, alice, token, encodeCall('mint(address,uint256)', [evmAccount.address, 500n]))).toBe(true)
  expect([coins(), supply(), locked()]).toEqual([1000n, 1000n, 1500n])
  expect(() => back('1001')).toThrow('insufficient funds')
  back('1000')
  expect([coins(), supply(), locked()]).toEqual([0n, 0n, 500n])
})
