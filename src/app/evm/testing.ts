/** Executed Ethereum transactions, for tests of what they leave behind. */
import { encodeTransaction } from '../../evm/transaction/encode.ts'
import { addressOfPrivateKey, signTransaction } from '../../evm/transaction/sender.ts'
import type { Identity } from '../../identity/types.ts'
import { auth } from '../../modules/auth/index.ts'
import * as bank from '../../modules/bank/keeper.ts'
import { localnetGenesis } from '../../modules/evm/development/localnet.ts'
import { evm } from '../../modules/evm/index.ts'
import { hex } from '../../primitives/bytes.ts'
import { keccak256 } from '../../primitives/hash.ts'
import { testContext } from '../../sdk/testing.ts'
import { decodeTx } from '../../sdk/tx.ts'
import type { EvmTx, TxResult } from '../records.ts'
import { deliverEthereumTx } from './deliver.ts'
import { wrapEthereumTx } from './envelope.ts'

const KEY = hex('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')

/** Results and receipts of a block at height 300. */
interface Executed {
  readonly results: readonly TxResult[]
  readonly source: { readonly height: bigint; readonly hash: Uint8Array; readonly evmTxs: readonly EvmTx[] }
}

/** Executes, in one block, transactions that create contracts with the given init codes. */
export function executeCreations(identity: Identity, codes: readonly Uint8Array[], gasLimit = 200_000n): Executed {
  const hash = new Uint8Array(32).fill(0xb1)
  const ctx = testContext({ identity, modules: [auth, evm], block: { height: 300n, gasLimit: 60_000_000n, hash } })
  evm.genesis!.init(ctx, localnetGenesis(ctx))
  bank.addWei(ctx, addressOfPrivateKey(KEY), 10n ** 24n)
  const deliveries = codes.map((data, i) => {
    const common = { type: 0, chainId: ctx.block.evmChainId, nonce: BigInt(i), to: undefined, valueWei: 0n } as const
    const tx = signTransaction({ ...common, gasPriceWei: 10n ** 12n, gasLimit, data }, KEY)
    const wrapped = wrapEthereumTx(identity, tx, keccak256(encodeTransaction(tx)))
    return deliverEthereumTx(ctx, decodeTx(ctx.app, identity, wrapped), i)
  })
  return {
    results: deliveries.map(({ result }) => result),
    source: { height: 300n, hash, evmTxs: deliveries.map(({ evmTx }) => evmTx!) },
  }
}
