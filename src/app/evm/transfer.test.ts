import { expect, test } from 'vitest'
import { transactionHash } from '../../evm/transaction/encode.ts'
import { intrinsicGas } from '../../evm/transaction/gas.ts'
import { addressOfPrivateKey, signTransaction } from '../../evm/transaction/sender.ts'
import { auth } from '../../modules/auth/index.ts'
import * as accounts from '../../modules/auth/keeper.ts'
import * as bank from '../../modules/bank/keeper.ts'
import { localnetGenesis } from '../../modules/evm/development/localnet.ts'
import { evm as evmModule } from '../../modules/evm/index.ts'
import * as evm from '../../modules/evm/keeper.ts'
import { EMPTY, formatHex, hex } from '../../primitives/bytes.ts'
import { testContext } from '../../sdk/testing.ts'
import type { EthereumTx } from './envelope.ts'
import { runEvm } from './execute.ts'
import { isPlainTransfer, transfer } from './transfer.ts'

const KEY = new Uint8Array(32).fill(1)
const FROM = addressOfPrivateKey(KEY)
const NOBODY = hex('12'.repeat(20))
const SOMEBODY = hex('34'.repeat(20))

function chain() {
  const ctx = testContext({ modules: [auth, evmModule], block: { gasLimit: 60_000_000n } })
  evmModule.genesis!.init(ctx, localnetGenesis(ctx))
  bank.addWei(ctx, FROM, 10n ** 20n)
  // Admission has raised the nonce by the time a transaction runs.
  accounts.setAccount(ctx, { ...accounts.newAccount(ctx, FROM), sequence: 1n })
  bank.addWei(ctx, SOMEBODY, 5n)
  accounts.ensureAccount(ctx, SOMEBODY)
  return ctx
}

function ethereumTx(to: Uint8Array, valueWei: bigint, data: Uint8Array): EthereumTx {
  const fields = { type: 1, chainId: 6930n, nonce: 0n, gasPriceWei: 1n, gasLimit: 100_000n } as const
  const accessList = [{ address: SOMEBODY, storageKeys: [new Uint8Array(32)] }]
  const transaction = signTransaction({ ...fields, to, valueWei, data, accessList }, KEY)
  const hash = transactionHash(transaction)
  return { transaction, hash, raw: EMPTY, from: FROM, isImpersonated: false, fromText: '', toText: '' }
}

test('a transfer without the EVM gives the state, the gas and the result of the EVM', () => {
  for (const to of [NOBODY, SOMEBODY, FROM]) {
    for (const valueWei of [0n, 1n, 10n ** 12n, 3n * 10n ** 12n + 7n]) {
      for (const data of [EMPTY, hex('00ff'), new Uint8Array(2_000).fill(3)]) {
        const ctx = chain()
        const rules = evm.chainRules(ctx)
        const tx = ethereumTx(to, valueWei, data)
        expect(isPlainTransfer(ctx, tx, evm.chainPrecompiles(rules))).toBe(true)
        const [byHand, byEvm] = [ctx.branch(), ctx.branch()]
        const ours = transfer(byHand, tx, rules, intrinsicGas(tx.transaction, rules))
        const theirs = runEvm(byEvm, tx, rules, 1n)
        expect([ours.success, ours.gasUsed, ours.output, ours.logs]).toEqual([
          theirs.success,
          theirs.gasUsed,
          theirs.output,
          theirs.logs,
        ])
        const state = (branch: typeof ctx) =>
          [FROM, NOBODY, SOMEBODY].map((who) => [
            evm.balanceWei(branch, who),
            evm.nonce(branch, who),
            accounts.getAccount(branch, who)?.number,
          ])
        expect(state(byHand), formatHex(to)).toEqual(state(byEvm))
      }
    }
  }
})

test('calls of code or precompiles and creations are not plain transfers', () => {
  const ctx = chain()
  const precompiles = evm.chainPrecompiles(evm.chainRules(ctx))
  const plain = (to: Uint8Array) => isPlainTransfer(ctx, ethereumTx(to, 1n, EMPTY), precompiles)
  expect(plain(hex('0cacf669f8446beca826913a3c6b96acd4b02a97'))).toBe(false)
  expect(plain(hex(`${'00'.repeat(19)}04`))).toBe(false)
  expect(plain(NOBODY)).toBe(true)
})
